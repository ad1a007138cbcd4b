package tracefile

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// count returns what strict counts in a document within any bounds.
func count(t testing.TB, doc string) (elements, members int, err error) {
	t.Helper()
	b := bounds{1 << 30, 1 << 30}
	err = b.strict([]byte(doc))
	return 1<<30 - b.elements, 1<<30 - b.members, err
}

func TestStrict(t *testing.T) {
	for doc, want := range map[string][2]int{
		`{}`:                                  {0, 0},
		`7`:                                   {0, 0},
		`"a,[{\"b\":1}"`:                      {0, 0},
		`{"a":1,"A":2,"b":{"a":3}}`:           {0, 4},
		`[1,[2,3],{"a":[4,{"a":5}]}]`:         {7, 2},
		` { "a" : [ "x,y" , "]" ] } `:         {2, 1},
		`{"raw":{"a":[1,2,{"b":3}]},"c":1}`:   {0, 2},
		`[{"raw":[1,2,3]},{"raw":1,"x":[4]}]`: {3, 3},
	} {
		elements, members, err := count(t, doc)
		if err != nil || elements != want[0] || members != want[1] {
			t.Errorf("%s: %d elements, %d members, %v", doc, elements, members, err)
		}
	}
	for _, doc := range []string{``, `{`, `{"a":1}x`, `[1,]`, `{"a" 1}`, `{1:1}`, "\"\x01\"", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
		`{"a":1,"a":1}`, `{"a":{"b":[{"c":1,"d":2,"c":3}]}}`, `{"kind":1,"k\u0069nd":2}`, `[{"a":{},"b":[],"a":{}}]`, `{"raw":{"raw":1,"raw":1}}`,
		`{"a":{"x":1},"b":2,"a":3}`} {
		if _, _, err := count(t, doc); err == nil {
			t.Errorf("%.40s is taken", doc)
		}
	}
	b := bounds{elements: 3, members: 2}
	for doc, taken := range map[string]bool{`[1,2,3]`: true, `[1,2,3,4]`: false, `{"a":1,"b":2}`: true, `{"a":{"b":{"c":1}}}`: false,
		`{"raw":[1,2,3,4,5]}`: true} {
		most := b
		if err := most.strict([]byte(doc)); (err == nil) != taken {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// hasDuplicateName reports whether an object of a document has a duplicate name, as encoding/json reads it.
func hasDuplicateName(dec *json.Decoder) bool {
	token, err := dec.Token()
	if err != nil {
		return false
	}
	found, seen := false, map[any]bool{}
	switch token {
	case json.Delim('{'):
		for dec.More() {
			name, _ := dec.Token()
			found = found || seen[name]
			seen[name] = true
			found = hasDuplicateName(dec) || found
		}
	case json.Delim('['):
		for dec.More() {
			found = hasDuplicateName(dec) || found
		}
	default:
		return false
	}
	_, _ = dec.Token()
	return found
}

// FuzzStrict holds strict and MapStrings against encoding/json.
func FuzzStrict(f *testing.F) {
	for _, doc := range []string{`{"a":1,"a":2}`, `{"a":{"\u0061":"\ud800"}}`, `[{"a":"x\\","b\\":"\""},["raw"]]`, `{"raw":[1],"x":"é"}`, `"`, `[[],{},""]`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, _, err := count(t, string(doc))
		if bytes.ContainsRune(doc, '\uFFFD') || !bytes.Equal(bytes.ToValidUTF8(doc, nil), doc) {
			return // readers differ on invalid UTF-8
		}
		if want := json.Valid(doc) && !hasDuplicateName(json.NewDecoder(bytes.NewReader(doc))); (err == nil) != want {
			t.Fatalf("%q: %v", doc, err)
		}
		same, err := MapStrings(doc, func(s string) string { return s })
		if !json.Valid(doc) {
			if err == nil {
				t.Fatalf("%q is taken", doc)
			}
			return
		}
		if err != nil || !bytes.Equal(same, doc) {
			t.Fatalf("%q became %q, %v", doc, same, err)
		}
		mark := func(s string) string { return "<" + s + ">" }
		out, err := MapStrings(doc, mark)
		if err != nil {
			t.Fatal(err)
		}
		var old, got any
		if json.Unmarshal(doc, &old) != nil {
			return // a number that Go cannot represent
		}
		if err := json.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(mapStrings(old, mark), got) {
			t.Fatalf("%q became %q, %v", doc, out, err)
		}
	})
}

func mapStrings(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = mapStrings(v[i], change)
		}
	case map[string]any:
		out := map[string]any{}
		for name, x := range v {
			out[change(name)] = mapStrings(x, change)
		}
		return out
	}
	return v
}
