package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/informerscope/probe/manifests"
)

const secret = "hunter2"

// documents are inputs with the expected results.
var documents = []struct{ name, in, want string }{
	{"plain", `{"metadata":{"annotations":{"` + Key + `":"hunter2","a":"b"}}}`, `{"metadata":{"annotations":{"` + Key + `":"[redacted]","a":"b"}}}`},
	{"empty value", `{"` + Key + `":""}`, `{"` + Key + `":"[redacted]"}`},
	{"manifest with escapes", `{"` + Key + `":"{\"env\":\"hunter2\\\\\"}\n","z":1}`, `{"` + Key + `":"[redacted]","z":1}`},
	{"value ends in backslashes", `{"` + Key + `":"hunter2\\","z":"\\"}`, `{"` + Key + `":"[redacted]","z":"\\"}`},
	{"space around the colon", "{\"" + Key + "\" \t\r\n:\n \"hunter2\"}", "{\"" + Key + "\" \t\r\n:\n \"[redacted]\"}"},
	{"first letter escaped", `{"\u006bubectl.kubernetes.io/last-applied-configuration":"hunter2"}`,
		`{"\u006bubectl.kubernetes.io/last-applied-configuration":"[redacted]"}`},
	{"capital hex", `{"\u006Bubectl.kubernetes.io\u002Flast-applied-configuration":"hunter2"}`,
		`{"\u006Bubectl.kubernetes.io\u002Flast-applied-configuration":"[redacted]"}`},
	{"solidus escaped", `{"kubectl.kubernetes.io\/last-applied-configuration":"hunter2"}`, `{"kubectl.kubernetes.io\/last-applied-configuration":"[redacted]"}`},
	{"a value with the key's text", `{"a":"` + Key + `","b":"c"}`, `{"a":"` + Key + `","b":"c"}`},
	{"in a list", `["` + Key + `","c"]`, `["` + Key + `","c"]`},
	{"annotations of others", `{"annotations":{"kapp.k14s.io/original":"hunter2","a":"b","objectset.rio.cattle.io/applied": "hunter2","c":"d"},"x":"y"}`,
		`{"annotations":{"kapp.k14s.io/original":"[redacted]","a":"b","objectset.rio.cattle.io/applied": "[redacted]","c":"d"},"x":"y"}`},
	{"annotations, a name escaped", `{"\u0061nnotations":{"kapp.k14s.io\/origin\u0061l":"hunter2"}}`,
		`{"\u0061nnotations":{"kapp.k14s.io\/origin\u0061l":"[redacted]"}}`},
	{"annotations, a manifest", `{"annotations": {"x/y":"{\"apiVersion\":\"v1\",\"kind\":\"Secret\"}","z":"\"kind\" \\"}}`,
		`{"annotations": {"x/y":"[redacted]","z":"\"kind\" \\"}}`},
	{"annotations, then not", `{"annotations":{"a":"b"},"data":{"original":"c","m":"apiVersion: v1\nkind: Pod"}}`,
		`{"annotations":{"a":"b"},"data":{"original":"c","m":"apiVersion: v1\nkind: Pod"}}`},
	{"annotations that are none", `[{"annotations":null},{"annotations":["original"]},{"annotations":"original"},{"annotations":{}},{"original":"x"}]`,
		`[{"annotations":null},{"annotations":["original"]},{"annotations":"original"},{"annotations":{}},{"original":"x"}]`},
	{"annotations, nested", `{"annotations":{"a":{"original":"hunter2","b":["]"]},"c":[{}],"original":"hunter2"},"original":"x"}`,
		`{"annotations":{"a":{"original":"[redacted]","b":["]"]},"c":[{}],"original":"[redacted]"},"original":"x"}`},
	{"kubectl's among annotations", `{"annotations":{"` + Key + `":"hunter2\\","a":"b"}}`, `{"annotations":{"` + Key + `":"[redacted]","a":"b"}}`},
	{"annotations of two frames", `{"annotations":{"original":"hunter2"}}` + "\n" + `{"annotations":{"applied":"hunter2"}}` + "\n",
		`{"annotations":{"original":"[redacted]"}}` + "\n" + `{"annotations":{"applied":"[redacted]"}}` + "\n"},
	{"prefix of the key", `{"kubectl.kubernetes.io/last-applied":"c"}`, `{"kubectl.kubernetes.io/last-applied":"c"}`},
	{"longer than the key", `{"` + Key + `2":"c"}`, `{"` + Key + `2":"c"}`},
	{"field path of managedFields", `{"f:` + Key + `":{}}`, `{"f:` + Key + `":{}}`},
	{"not a string", `{"` + Key + `":{"a":"b"},"x":null}`, `{"` + Key + `":{"a":"b"},"x":null}`},
	{"null", `{"` + Key + `":null,"x":"y"}`, `{"` + Key + `":null,"x":"y"}`},
	{"twice", `{"` + Key + `":"hunter2","` + Key + `":"hunter2"}`, `{"` + Key + `":"[redacted]","` + Key + `":"[redacted]"}`},
	{"escaped quote before", `{"a\"":"\\\"","` + Key + `":"hunter2"}`, `{"a\"":"\\\"","` + Key + `":"[redacted]"}`},
	{"two frames", `{"type":"ADDED","object":{"` + Key + `":"hunter2"}}` + "\n" + `{"type":"DELETED","object":{"` + Key + `":"hunter2"}}` + "\n",
		`{"type":"ADDED","object":{"` + Key + `":"[redacted]"}}` + "\n" + `{"type":"DELETED","object":{"` + Key + `":"[redacted]"}}` + "\n"},
	{"not JSON", "Too many requests, please \"try\" again \\ later.\n", "Too many requests, please \"try\" again \\ later.\n"},
	{"broken escape closes", `{"\u00":"x","` + Key + `":"hunter2"}`, `{"\u00":"x","` + Key + `":"[redacted]"}`},
	{"empty", ``, ``},
	{"other scripts", `{"名":"值","k":"k","` + Key + `":"hunter2 秘"}`, `{"名":"值","k":"k","` + Key + `":"[redacted]"}`},
}

func TestAppendAtEveryBoundary(t *testing.T) {
	for _, doc := range documents {
		t.Run(doc.name, func(t *testing.T) {
			for first := 0; first <= len(doc.in); first++ {
				for second := first; second <= len(doc.in); second++ {
					var r Redactor
					out := r.Append(nil, []byte(doc.in[:first]))
					out = r.Append(out, []byte(doc.in[first:second]))
					out = r.Append(out, []byte(doc.in[second:]))
					if string(out) != doc.want {
						t.Fatalf("cut at %d and %d:\n got %s\nwant %s", first, second, out, doc.want)
					}
				}
			}
		})
	}
}

func TestAppendHoldsNothingBack(t *testing.T) {
	// What precedes a replaced value must be written as soon as it was read: a watch frame must not wait for the next.
	frame := `{"type":"ADDED","object":{"metadata":{"annotations":{"` + Key + `":"x"}}}}` + "\n"
	var r Redactor
	for range 3 {
		if out := string(r.Append(nil, []byte(frame))); out != strings.Replace(frame, `"x"`, `"[redacted]"`, 1) {
			t.Fatalf("got %q", out)
		}
	}
	if r.Count() != 3 {
		t.Errorf("Count() = %d, want 3", r.Count())
	}
}

func TestReader(t *testing.T) {
	var want, in strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&in, `{"n":%d,"%s":"%s"}`, i, Key, strings.Repeat(secret, i%50))
		fmt.Fprintf(&want, `{"n":%d,"%s":"[redacted]"}`, i, Key)
	}
	for name, source := range map[string]io.Reader{
		"whole":     strings.NewReader(in.String()),
		"bytewise":  iotest.OneByteReader(strings.NewReader(in.String())),
		"halves":    iotest.HalfReader(strings.NewReader(in.String())),
		"data+EOF":  iotest.DataErrReader(strings.NewReader(in.String())),
		"small out": iotest.DataErrReader(strings.NewReader(in.String())),
	} {
		t.Run(name, func(t *testing.T) {
			var out io.Reader = NewReader(io.NopCloser(source))
			if name == "small out" {
				out = iotest.OneByteReader(out)
			}
			got, err := io.ReadAll(out)
			if err != nil || string(got) != want.String() {
				t.Errorf("error %v, %d bytes, want %d", err, len(got), want.Len())
			}
		})
	}
}

func TestReaderPassesErrorsOnAfterTheData(t *testing.T) {
	broken := errors.New("cut")
	r := NewReader(io.NopCloser(io.MultiReader(strings.NewReader(`{"a":"b`), iotest.ErrReader(broken))))
	got, err := io.ReadAll(r)
	if string(got) != `{"a":"b` || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzAppend(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc.in), uint(len(doc.in)/2))
		f.Add([]byte(doc.in), uint(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint) {
		middle := int(cut % uint(len(in)+1))
		var whole, parts Redactor
		out := whole.Append(nil, in)
		second := parts.Append(parts.Append(nil, in[:middle]), in[middle:])
		if !bytes.Equal(out, second) {
			t.Fatalf("cut at %d changes the result:\n%q\n%q", middle, out, second)
		}
		decoder := json.NewDecoder(bytes.NewReader(in))
		decoder.UseNumber()
		var tree any
		// A tree does not show how long a string was as written.
		if decoder.Decode(&tree) != nil || decoder.More() || !json.Valid(in) || len(in) > manifests.MaxName/6 {
			return
		}
		decoder = json.NewDecoder(bytes.NewReader(out))
		decoder.UseNumber()
		var got any
		if err := decoder.Decode(&got); err != nil || !json.Valid(out) {
			t.Fatalf("%q became invalid: %q: %v", in, out, err)
		}
		if manifests.Redact(tree); !reflect.DeepEqual(got, tree) {
			t.Fatalf("%q became %q", in, out)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	item := `{"metadata":{"name":"pod-00001","namespace":"ns-1","uid":"f7b8e4a0-0000-4000-8000-000000000001","resourceVersion":"12345","labels":{"app":"web","tier":"front"},"annotations":{"` +
		Key + `":"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"pod-00001\"}}\n"}},"spec":{"containers":[{"name":"main","image":"registry.example/web:1","resources":{"requests":{"cpu":"100m"}}}],"nodeName":"node-7"}},`
	list := []byte(strings.Repeat(item, 2000))
	out := make([]byte, 0, len(list))
	b.SetBytes(int64(len(list)))
	for b.Loop() {
		var r Redactor
		out = r.Append(out[:0], list)
	}
}

// inPieces is the result for text that arrives in pieces, cut at the positions in cuts.
func inPieces(r *Redactor, text, cuts []byte) []byte {
	var out []byte
	for i := 0; len(text) > 0; i++ {
		n := len(text)
		if i < len(cuts) {
			n = min(n, int(cuts[i]))
		}
		// As Reader does it: unchanged text is not copied.
		piece := bytes.Clone(text[:n])
		out = append(out, r.filter(nil, piece)...)
		text = text[n:]
	}
	return out
}

// FuzzSkipping compares the scanner with one that skips nothing.
func FuzzSkipping(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc.in), []byte{1, 7, 200})
		f.Add([]byte(doc.in+doc.in), []byte{30})
	}
	f.Add([]byte(`{"a":"b"annotations":{"original":"hunter2"}}`), []byte{})
	f.Add([]byte(`\{"annotations":{"original":"hunter2","x":"\u0061"}} "kubectl.kubernetes.io\/last-applied-configuration":"x"`), []byte{9})
	f.Fuzz(func(t *testing.T, text, cuts []byte) {
		slow := Redactor{slow: true}
		want := inPieces(&slow, text, nil)
		var fast Redactor
		if got := inPieces(&fast, text, cuts); !bytes.Equal(got, want) || fast.Count() != slow.Count() {
			t.Errorf("%q cut at %v\n  becomes %q (%d)\n  but is  %q (%d)", text, cuts, got, fast.Count(), want, slow.Count())
		}
	})
}

// TestEveryTargetIsStoppedAt checks that skipping misses no target. The text is long enough to be skipped, with each key of the scanner at every
// position, and cut everywhere.
func TestEveryTargetIsStoppedAt(t *testing.T) {
	for _, doc := range documents {
		for before := range 40 {
			text := []byte(`{"` + strings.Repeat("x", before) + `":"` + strings.Repeat("y", 100-before) + `","z":` + doc.in + `}`)
			slow := Redactor{slow: true}
			want := inPieces(&slow, text, nil)
			for cut := 0; cut < 256 && cut <= len(text); cut++ {
				var fast Redactor
				if got := inPieces(&fast, text, []byte{byte(cut)}); !bytes.Equal(got, want) {
					t.Fatalf("%s cut at %d\n  becomes %q\n  but is  %q", text, cut, got, want)
				}
			}
		}
	}
}
