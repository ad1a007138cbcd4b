package simcluster

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestJSONIsThatOfTheStandardLibrary holds appendJSON to encoding/json, byte for byte: names and links hang on these bytes.
func TestJSONIsThatOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"", "app", "a b", `"quoted"`, `back\slash`, "<b>&amp;", "tab\t", "\x00\x1f", "\x7f",
		"ü", "中", "\u2028", "\xff\xfe", "🎈", "z", "A", "a0", "a-b"}
	type own struct{ B, A string }
	var value func(depth int) any
	value = func(depth int) any {
		leaves := []any{nil, true, false, 0, -7, math.MaxInt64, int64(9), 1.5, 1e21, json.Number("1e3"), json.Number(""), json.Number("12345678901234567890"),
			words[r.IntN(len(words))], words[r.IntN(len(words))], []string{"x"}, map[string]string{"<": "&"}, own{"<", "b"}, (map[string]any)(nil), ([]any)(nil),
			json.RawMessage(`{"b": 1, "a":"<"}`), []byte("bytes")}
		if depth == 0 || r.IntN(3) == 0 {
			return leaves[r.IntN(len(leaves))]
		}
		n := r.IntN(24)
		if r.IntN(2) == 0 {
			list := make([]any, n/4)
			for i := range list {
				list[i] = value(depth - 1)
			}
			return list
		}
		m := map[string]any{}
		for range n {
			m[words[r.IntN(len(words))]+words[r.IntN(len(words))]] = value(depth - 1)
		}
		return m
	}
	for range 3000 {
		v := value(4)
		for _, html := range []bool{true, false} {
			var want bytes.Buffer
			e := json.NewEncoder(&want)
			e.SetEscapeHTML(html)
			if err := e.Encode(v); err != nil {
				t.Fatal(err)
			}
			got, err := appendJSON([]byte("before"), v, html)
			if text := "before" + strings.TrimSuffix(want.String(), "\n"); err != nil || string(got) != text {
				t.Fatalf("html %v: %v\ngot  %s\nwant %s", html, err, got, text)
			}
		}
	}
	for _, v := range []any{math.NaN(), json.Number("1x"), func() {}, map[string]any{"a": []any{math.Inf(1)}}} {
		if b, err := appendJSON(nil, v, true); err == nil {
			t.Errorf("%v becomes %s, want an error", v, b)
		}
	}
}
