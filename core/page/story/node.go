package story

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Kind is the kind of a Node.
type Kind uint8

const (
	// Plain is a text, a number, true or false, or null.
	Plain Kind = iota
	// List has elements.
	List
	// Object has names and their values, alternating.
	Object
	// Other is any kind that a story cannot contain.
	Other
)

// Node is a part of a story's file. The file is YAML in a folder of stories, and JSON in the output of storyfile.Pack.
type Node struct {
	Kind Kind
	// Tag is YAML's: !!str, !!int, !!float, !!bool or !!null.
	Tag     string
	Value   string
	Line    int // from 1; 1 if lines are unknown
	Content []*Node
}

// Load reads the output of storyfile.Pack: all stories as JSON. It returns them in the order of the chooser.
func Load(packed []byte) ([]*Story, error) {
	var files []struct {
		File  string          `json:"file"`
		Story json.RawMessage `json:"story"`
	}
	if err := json.Unmarshal(packed, &files); err != nil {
		return nil, fmt.Errorf("the stories cannot be read: %w", err)
	}
	var out []*Story
	for _, f := range files {
		d := json.NewDecoder(bytes.NewReader(f.Story))
		d.UseNumber()
		n, err := decode(d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.File, err)
		}
		s, err := Read(f.File, n)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	Sort(out)
	return out, nil
}

// decode decodes a JSON value.
func decode(d *json.Decoder) (*Node, error) {
	word, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &Node{Line: 1}
	switch v := word.(type) {
	case json.Delim:
		if n.Kind = List; v == '{' {
			n.Kind = Object
		}
		for d.More() {
			e, err := decode(d)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, e)
		}
		if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	case string:
		n.Tag, n.Value = "!!str", v
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	default:
		n.Tag = "!!null"
	}
	return n, nil
}
