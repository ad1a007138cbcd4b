// Package storyfile reads stories from YAML files, and packs those of the page as JSON, so that the page parses no YAML when it starts. docs/stories.md
// describes the files.
package storyfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"informerscope/core/page/story"
)

// Longest is the largest size of a story's file in bytes.
const Longest = 64 << 10

// Read reads a story's file. Its errors are a *story.FileError.
func Read(file string, content []byte) (*story.Story, error) {
	n, err := parse(file, content)
	if err != nil {
		return nil, err
	}
	return story.Read(file, n)
}

// ReadAll reads each story of a folder, in the order of the chooser. It returns the error of the first file that cannot be read.
func ReadAll(files fs.FS) ([]*story.Story, error) {
	var out []*story.Story
	err := forEach(files, func(file string, content []byte) error {
		s, err := Read(file, content)
		out = append(out, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	story.Sort(out)
	return out, nil
}

// Pack encodes the stories of a folder for story.Load.
func Pack(files fs.FS) ([]byte, error) {
	type packed struct {
		File  string `json:"file"`
		Story any    `json:"story"`
	}
	var out []packed
	err := forEach(files, func(file string, content []byte) error {
		n, err := parse(file, content)
		if err != nil {
			return err
		}
		if _, err := story.Read(file, n); err != nil {
			return err
		}
		out = append(out, packed{file, plainValue(n)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err = e.Encode(out)
	return b.Bytes(), err
}

// forEach calls do for each story's file in a folder, until one returns an error.
func forEach(files fs.FS, visit func(file string, content []byte) error) error {
	paths, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return err
	}
	for _, p := range paths {
		content, err := fs.ReadFile(files, p)
		if err == nil {
			err = visit(p, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parse parses YAML.
func parse(file string, content []byte) (*story.Node, error) {
	bad := func(line int, text string) error { return &story.FileError{File: file, Line: line, Text: text} }
	if len(content) > Longest {
		return nil, bad(1, fmt.Sprintf("the file is longer than %d bytes", Longest))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(content, &doc); err != nil {
		line, text := lineOf(err)
		return nil, bad(line, "this is not YAML: "+text)
	}
	if len(doc.Content) == 0 {
		return nil, bad(1, "the file is empty; docs/stories.md has an example")
	}
	return convert(doc.Content[0]), nil
}

// lineOf splits an error of package yaml, "yaml: line 3: did not find expected key", into the line, 1 if it names none, and the message.
func lineOf(err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	if after, found := strings.CutPrefix(text, "line "); found {
		if number, rest, found := strings.Cut(after, ": "); found {
			if n, err := strconv.Atoi(number); err == nil {
				return n, rest
			}
		}
	}
	return 1, text
}

func convert(n *yaml.Node) *story.Node {
	out := &story.Node{Kind: story.Other, Tag: n.Tag, Value: n.Value, Line: n.Line}
	switch n.Kind {
	case yaml.ScalarNode:
		out.Kind = story.Plain
	case yaml.SequenceNode:
		out.Kind = story.List
	case yaml.MappingNode:
		out.Kind = story.Object
	}
	for _, e := range n.Content {
		out.Content = append(out.Content, convert(e))
	}
	return out
}

// plainValue returns a node as a value for encoding/json.
func plainValue(n *story.Node) any {
	switch n.Kind {
	case story.Object:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = plainValue(n.Content[i+1])
		}
		return out
	case story.List:
		out := []any{}
		for _, e := range n.Content {
			out = append(out, plainValue(e))
		}
		return out
	}
	switch n.Tag {
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
	case "!!bool":
		return n.Value == "true"
	case "!!null":
		return nil
	}
	return n.Value
}
