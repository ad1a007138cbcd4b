package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// bounds are how much may stand in JSON that is read into structs: elements of all its lists, and members of all its objects. Of two bytes that
// come, a struct may be made that takes hundreds.
type bounds struct{ elements, members int }

// strict reads a JSON document that comes from elsewhere. It refuses what is no JSON, and an object with two members of one name, because one
// reader takes the first of them and another the last. It takes what it counts from the bounds, and refuses more than they are. What stands under
// "raw" is an object of a cluster, of which no struct is made, and is not counted.
func (b *bounds) strict(doc []byte) error {
	if !json.Valid(doc) {
		return json.Unmarshal(doc, new(json.RawMessage)) // it says what is wrong
	}
	type container struct {
		list, counted, raw bool // raw: its last name was that
		names              int  // where its own begin
	}
	var open []container
	var names []string // of all objects that are open
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
					return fmt.Errorf("%.60q stands twice in one object", names[j])
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
			return errors.New("it has longer lists than are read")
		}
	}
	return nil
}

// stringEnd is where a string ends whose opening quote is at i, in JSON that is valid.
func stringEnd(doc []byte, i int) int {
	for i++; doc[i] != '"'; i++ {
		if doc[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// unquote is the text of a JSON string that is valid.
func unquote(quoted []byte) (text string) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	_ = json.Unmarshal(quoted, &text)
	return text
}

// MapStrings is a JSON document with change applied to every string in it, names of members included. All else is as it was, byte by byte.
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
			changed, err := unescaped{change(text)}.MarshalJSON()
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
