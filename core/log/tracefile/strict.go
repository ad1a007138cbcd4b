package tracefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// bounds limit JSON that is decoded into structs: the elements of all its lists, and the members of all its objects. Two bytes of JSON can become a struct of
// hundreds of bytes.
type bounds struct{ elements, members int }

// strict checks a JSON document from outside. It refuses invalid JSON, and an object with duplicate names, because some readers take the first member of that
// name and others the last. It subtracts what it counts from b, and fails when a bound is exceeded. It does not count the contents of "raw": that is an
// object of a cluster, which is not decoded into a struct.
func (b *bounds) strict(doc []byte) error {
	if !json.Valid(doc) {
		return json.Unmarshal(doc, new(json.RawMessage)) // returns what is wrong
	}
	type container struct {
		list, counted, raw bool // raw: its last name was "raw"
		names              int  // where its own begin
	}
	var open []container
	var names []string // of all open objects
	top := container{counted: true}
	name := false // a name comes next
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; c {
		case '{', '[':
			open = append(open, top)
			top = container{list: c == '[', counted: top.counted && !top.raw, names: len(names)}
			name = !top.list
		case ',':
			name = !top.list
		case '}', ']':
			slices.Sort(names[top.names:])
			for j := top.names + 1; j < len(names); j++ {
				if names[j] == names[j-1] {
					return fmt.Errorf("%.60q appears twice in one object", names[j])
				}
			}
			names = names[:top.names]
			open, top = open[:len(open)-1], open[len(open)-1]
			continue
		case '"':
			end := stringEnd(doc, i)
			if name {
				text := unquote(doc[i:end])
				names, top.raw = append(names, text), text == "raw"
			}
			i = end - 1
			if !name {
				continue
			}
			name = false
		default:
			continue
		}
		switch {
		case !top.counted:
		case top.list:
			b.elements-- // the first with the bracket, the others with their commas
		case !name:
			b.members--
		}
		if b.elements < 0 || b.members < 0 {
			return errors.New("its lists are too long")
		}
	}
	return nil
}

// stringEnd returns the end of the string whose opening quote is at i, in valid JSON.
func stringEnd(doc []byte, i int) int {
	for i++; doc[i] != '"'; i++ {
		if doc[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// unquote returns the text of a valid JSON string.
func unquote(quoted []byte) (text string) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	_ = json.Unmarshal(quoted, &text)
	return text
}

// MapStrings applies change to every string in a JSON document, including names of members. All else stays the same, byte for byte.
func MapStrings(doc []byte, change func(string) string) ([]byte, error) {
	if !json.Valid(doc) {
		return nil, json.Unmarshal(doc, new(json.RawMessage))
	}
	var out []byte
	done := 0
	for i := 0; i < len(doc); i++ {
		if doc[i] != '"' {
			continue
		}
		end := stringEnd(doc, i)
		if text := unquote(doc[i:end]); change(text) != text {
			changed, err := rawJSON{change(text)}.MarshalJSON()
			if err != nil {
				return nil, err
			}
			out = append(append(out, doc[done:i]...), changed...)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return doc, nil
	}
	return append(out, doc[done:]...), nil
}
