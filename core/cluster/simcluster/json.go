package simcluster

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// appendJSON appends v as encoding/json writes it, with or without its escapes for HTML. What objects are made of, it writes itself: encoding/json takes
// four times as long for a map, and a cluster opens with thousands of them.
func appendJSON(b []byte, v any, html bool) ([]byte, error) {
	switch v := v.(type) {
	case map[string]any:
		if v != nil {
			return appendMap(b, v, html)
		}
	case []any:
		if v != nil {
			return appendList(b, v, html)
		}
	case string:
		return appendText(b, v, html), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	}
	return appendAny(b, v, html)
}

// appendAny leaves it to encoding/json.
func appendAny(b []byte, v any, html bool) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(html)
	err := e.Encode(v)
	return append(b, bytes.TrimRight(text.Bytes(), "\n")...), err
}

func appendMap(b []byte, m map[string]any, html bool) (_ []byte, err error) {
	var room [16]string
	keys := room[:0]
	//maporder:free sorted below
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	sep := byte('{')
	for _, k := range keys {
		if b, err = appendJSON(append(appendText(append(b, sep), k, html), ':'), m[k], html); err != nil {
			return b, err
		}
		sep = ','
	}
	if len(keys) == 0 {
		b = append(b, sep)
	}
	return append(b, '}'), nil
}

func appendList(b []byte, list []any, html bool) (_ []byte, err error) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSON(b, v, html); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func appendText(b []byte, s string, html bool) []byte {
	if !isPlain(s) {
		b, _ = appendAny(b, s, html) // encoding a string never fails
		return b
	}
	return append(append(append(b, '"'), s...), '"')
}

// isPlain reports whether JSON has s as it is between quotes, also with the escapes for HTML.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// mustText returns s as a JSON string.
func mustText(s string) string { return string(appendText(nil, s, false)) }

func mustJSON(v any) string {
	b, err := appendJSON(nil, v, true)
	if err != nil {
		return "{}" // cannot happen: only maps of strings, and JSON that was decoded before
	}
	return string(b)
}

// normalize makes values comparable, whether they were decoded or built.
func normalize(v any) any {
	b, err := appendJSON(nil, v, false)
	if err != nil {
		return v
	}
	return string(b)
}
