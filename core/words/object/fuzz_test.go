package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/tidwall/gjson"

	"informerscope/core/words/object/objecttest"
)

var seeds = []string{
	`{}`, `null`, `[]`, ` {"kind":"A"} `, `{"metadata":{"name":"a","name":"b","labels":{"x":"y","x":null}}}`, `{"metadata":{"labels":{"a":1,"a":"b"}}}`,
	`{"metadata":{"name":"\ud83d\ude00\u0000\/"},"metadata":null}`, "{\"metadata\":{\"name\":\"\xff\",\"labels\":{\"\xff\":\"\xed\xa0\x80\"}}}",
	`{"m\u0065tadata":{"\u0075id":"x"},"a":[[[[1e5,-0.1E-2,0]]]]}`, `{"a":"12345678\"1234567\\12345678"}`, `{"a":-01}`, `{"a":"\ud83d`, `{"kind":tru}`,
	`{"spec":{"a":{"b":1}},"spec":{"a":2},"status":null,"status":{"a":"b"}}`, `{"status":"{\"a\":1}","spec":[{"a":1},{"b":2}]}`,
	`{"status":{"phase":"x"},"metadata":{"name":"n"},"metadata":{},"spec":{"a":[{"b":1,"c":2}],"a.b":3}}`, `{"sp\u0065c":{"a":1},"spec":{"a":2}}`,
	`{"metadata":{"finalizers":["a"],"generation":3,"labels":{}}}`, `{"a":[{},[],{"b":[]}]}x`, `1 x`, `{"a":1e999}`,
}

// read decodes a document with encoding/json. It returns the fields that are compared, and whether their types are right.
func read(doc []byte) (values map[string]string, labels map[string]string, ok bool) {
	var top map[string]any
	if json.Unmarshal(doc, &top) != nil || top == nil {
		return nil, nil, false
	}
	values, ok = map[string]string{}, true
	str := func(m map[string]any, key string) {
		switch v := m[key].(type) {
		case string:
			values[key] = v
		case nil:
		default:
			ok = false
		}
	}
	str(top, "kind")
	str(top, "apiVersion")
	metadata, isMap := top["metadata"].(map[string]any)
	if !isMap && top["metadata"] != nil {
		return nil, nil, false
	}
	for _, key := range []string{"name", "namespace", "uid", "resourceVersion", "generateName", "selfLink", "creationTimestamp", "deletionTimestamp"} {
		str(metadata, key)
	}
	for _, key := range []string{"generation", "deletionGracePeriodSeconds"} {
		if _, isNumber := metadata[key].(float64); !isNumber && metadata[key] != nil {
			ok = false
		}
	}
	for _, key := range []string{"ownerReferences", "finalizers", "managedFields"} {
		if _, isList := metadata[key].([]any); !isList && metadata[key] != nil {
			ok = false
		}
	}
	for _, key := range []string{"labels", "annotations"} {
		if _, isMap := metadata[key].(map[string]any); !isMap && metadata[key] != nil {
			ok = false
		}
	}
	if m, isMap := metadata["labels"].(map[string]any); isMap {
		labels = map[string]string{}
		for k, v := range m {
			switch v := v.(type) {
			case string:
				labels[k] = v
			case nil:
				labels[k] = ""
			default:
				labels = nil
			}
			if labels == nil {
				break
			}
		}
	}
	return values, labels, ok
}

func FuzzObject(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add(objecttest.Pod(1))
	f.Add(pretty(f, objecttest.Pod(2)))
	f.Fuzz(func(t *testing.T, doc []byte) {
		o, err := Parse(bytes.Clone(doc))
		var syntax *syntaxError
		if json.Valid(doc) == errors.As(err, &syntax) {
			t.Fatalf("Parse returns %v, encoding/json.Valid %v", err, json.Valid(doc))
		}
		values, labels, ok := read(doc)
		if outOfRange(doc) {
			return
		}
		if ok != (err == nil) {
			t.Fatalf("Parse returns %v, but for encoding/json the types are right: %v", err, ok)
		}
		if err != nil {
			return
		}
		got := map[string]string{"kind": o.GetKind(), "apiVersion": o.GetAPIVersion(), "name": o.GetName(), "namespace": o.GetNamespace(), "uid": string(o.GetUID()),
			"resourceVersion": o.GetResourceVersion(), "generateName": o.GetGenerateName(), "selfLink": o.GetSelfLink()}
		for key, v := range got {
			if v != values[key] {
				t.Errorf("%s: %q, encoding/json reads %q", key, v, values[key])
			}
		}
		if l := o.GetLabels(); !reflect.DeepEqual(l, labels) {
			t.Errorf("labels: %#v, encoding/json reads %#v", l, labels)
		}
		o.GetAnnotations()
		o.GetFinalizers()
		o.GetOwnerReferences()
		o.GetManagedFields()
		o.GetCreationTimestamp()
		o.GetGeneration()
		checkGet(t, o)
		o.SetName("changed")
		if again, err := Parse(bytes.Clone(o.Raw())); err != nil || again.GetName() != "changed" || again.GetUID() != o.GetUID() ||
			!reflect.DeepEqual(again.GetLabels(), labels) {
			t.Errorf("after SetName: %s, %v", o.Raw(), err)
		}
		checkGet(t, o)
	})
}

// checkGet compares Get, which starts at the recorded spec and status, with gjson, which searches the whole document.
func checkGet(t *testing.T, o *Object) {
	t.Helper()
	for _, path := range []string{"spec", "spec.a", "spec.a.b", "spec.a.#", `spec.a\.b`, "spec.a|b", "spec.a.#(b==1).c", "spec.nodeName", "spec.containers.0.name",
		"spec.#", "spec.@keys", "spec.0", "spec.*", "spec..a", "spec.", "status.a", "status.phase", `status.conditions.#(type=="Ready").status`, "status.a|@this",
		"metadata.name", "s", "spec.{a,b}"} {
		want, got := gjson.GetBytes(o.Raw(), path), o.Get(path)
		if got.Type != want.Type || got.Raw != want.Raw || got.Str != want.Str {
			t.Errorf("%s at %s: %q, gjson finds %q", o.Raw(), path, got.Raw, want.Raw)
		}
	}
}

// outOfRange reports whether a valid document has a number that no float64 can hold: encoding/json cannot decode it into a map, but Valid accepts it.
func outOfRange(doc []byte) bool {
	var v any
	var number *json.UnmarshalTypeError
	return errors.As(json.Unmarshal(doc, &v), &number)
}

func FuzzList(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[` + s + `,{}]}`))
		f.Add([]byte(`{"items":[{"kind":""},` + s + `],"kind":"List"}`))
	}
	f.Add([]byte(`{"items":null,"items":[{}]}`))
	f.Add(objecttest.PodList(2))
	f.Fuzz(func(t *testing.T, doc []byte) {
		l, err := ParseList(bytes.Clone(doc))
		var syntax *syntaxError
		if !json.Valid(doc) {
			if err == nil {
				t.Fatal("accepted invalid JSON")
			}
			return
		}
		if errors.As(err, &syntax) {
			t.Fatalf("refused valid JSON: %v", err)
		}
		if err != nil {
			return
		}
		var top map[string]json.RawMessage
		var items []json.RawMessage
		if err := json.Unmarshal(doc, &top); err != nil {
			t.Fatalf("ParseList accepts what encoding/json does not decode: %v", err)
		}
		if raw, ok := top["items"]; ok {
			if err := json.Unmarshal(raw, &items); err != nil {
				t.Fatalf("items: %v", err)
			}
		}
		if len(items) != len(l.Items) {
			t.Fatalf("%d items, encoding/json reads %d", len(l.Items), len(items))
		}
		for i, o := range l.Items {
			alone, err := Parse(bytes.Clone(items[i]))
			if err != nil {
				t.Fatalf("item %d alone: %v", i, err)
			}
			again, err := Parse(bytes.Clone(o.Raw()))
			if err != nil {
				t.Fatalf("item %d: %v in %s", i, err, o.Raw())
			}
			if alone.GetName() != o.GetName() || !reflect.DeepEqual(alone.GetLabels(), o.GetLabels()) || again.lazy != o.lazy || again.GetKind() != o.GetKind() ||
				alone.GetKind() != "" && alone.GetKind() != o.GetKind() {
				t.Errorf("item %d: alone %s, in the list %s", i, alone.Raw(), o.Raw())
			}
		}
	})
}

func FuzzWatchEvent(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(`{"type":"ADDED","object":` + s + `}`))
	}
	f.Add([]byte(`{"object":{"metadata":{"name":"a"}},"type":null,"type":"ERROR","object":{}}`))
	f.Add(objecttest.WatchEvent("MODIFIED", objecttest.Pod(1)))
	f.Fuzz(func(t *testing.T, frame []byte) {
		typ, raw, err := ParseWatchEvent(frame)
		decodedType, o, decodeErr := DecodeWatchEvent(frame)
		var top map[string]json.RawMessage
		if json.Unmarshal(frame, &top) != nil || top == nil {
			if err == nil || decodeErr == nil {
				t.Fatalf("accepted what is not a JSON object: %v, %v", err, decodeErr)
			}
			return
		}
		var want *string
		if typeErr := json.Unmarshal(orNull(top["type"]), &want); (typeErr != nil) != (err != nil) {
			t.Fatalf("%v, encoding/json reads the type with %v", err, typeErr)
		}
		if err != nil {
			if decodeErr == nil {
				t.Fatalf("ParseWatchEvent returns %v, DecodeWatchEvent no error", err)
			}
			return
		}
		if want == nil {
			want = new(string)
		}
		if typ != *want || string(orNull(raw)) != string(orNull(top["object"])) {
			t.Fatalf("%q %s, encoding/json reads %q %s", typ, raw, *want, top["object"])
		}
		alone, aloneErr := Parse(bytes.Clone(orNull(raw)))
		if (decodeErr == nil) != (aloneErr == nil && typ != "") {
			t.Fatalf("DecodeWatchEvent returns %v, Parse of the object alone %v", decodeErr, aloneErr)
		}
		if decodeErr == nil && (decodedType != typ || !bytes.Equal(o.Raw(), alone.Raw()) || o.lazy != alone.lazy || o.GetName() != alone.GetName()) {
			t.Fatalf("decoded %s, alone %s", o.Raw(), alone.Raw())
		}
	})
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}
