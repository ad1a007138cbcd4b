package object

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/object/objecttest"
)

// FuzzMetadata compares the getters that decode on demand with encoding/json, reading each field by itself: exact names, and the last of repeated ones.
func FuzzMetadata(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add(objecttest.Pod(1))
	for _, metadata := range []string{
		`"generation":3,"deletionGracePeriodSeconds":-0,"creationTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":"2026-01-02T03:04:05.5+01:00"`,
		`"generation":3.0,"deletionGracePeriodSeconds":9223372036854775808,"creationTimestamp":"yesterday","deletionTimestamp":""`,
		`"generation":1,"generation":null,"creationTimestamp":"null","Generation":2`,
		`"annotations":{"a":"b","a":null,"é":""},"finalizers":["a","\u0062"]`,
		`"annotations":{"a":1},"finalizers":["a",null],"ownerReferences":[],"managedFields":[]`,
		`"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true,"blockOwnerDeletion":null},null,{"Name":"q"}]`,
		`"ownerReferences":[{"name":1}],"managedFields":[{"manager":"m","operation":"Apply","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{ "f:a" : {} },"subresource":"status"}]`,
		`"managedFields":[{"time":"never"}],"ownerReferences":[7]`,
	} {
		f.Add([]byte(`{"metadata":{` + metadata + `}}`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		o, err := Parse(bytes.Clone(doc))
		if err != nil {
			return // FuzzObject checks whether that is right
		}
		var top, m map[string]json.RawMessage
		if err := json.Unmarshal(doc, &top); err != nil {
			t.Fatalf("Parse accepts the document, encoding/json: %v", err)
		}
		if raw, ok := top["metadata"]; ok {
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatalf("metadata: %v", err)
			}
		}
		same := func(what string, got, want any) {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %#v, encoding/json reads %#v", what, got, want)
			}
		}
		same("generation", o.GetGeneration(), integer(m["generation"], 0))
		if raw := m["deletionGracePeriodSeconds"]; integer(raw, 0) == integer(raw, 1) {
			n := integer(raw, 0)
			same("deletionGracePeriodSeconds", o.GetDeletionGracePeriodSeconds(), &n)
		} else {
			same("deletionGracePeriodSeconds", o.GetDeletionGracePeriodSeconds(), (*int64)(nil))
		}
		same("creationTimestamp", o.GetCreationTimestamp(), timestamp(m["creationTimestamp"]))
		if at := timestamp(m["deletionTimestamp"]); at.IsZero() {
			same("deletionTimestamp", o.GetDeletionTimestamp(), (*metav1.Time)(nil))
		} else {
			same("deletionTimestamp", o.GetDeletionTimestamp(), &at)
		}
		same("labels", o.GetLabels(), stringsByName(m["labels"]))
		same("annotations", o.GetAnnotations(), stringsByName(m["annotations"]))
		same("finalizers", o.GetFinalizers(), stringList(m["finalizers"]))
		if refs, ok := exact[metav1.OwnerReference](m["ownerReferences"]); ok {
			same("ownerReferences", o.GetOwnerReferences(), refs)
		}
		if entries, ok := exact[metav1.ManagedFieldsEntry](m["managedFields"]); ok {
			same("managedFields", o.GetManagedFields(), entries)
		}
	})
}

// integer decodes a 64-bit integer. It returns otherwise if raw is not one.
func integer(raw json.RawMessage, otherwise int64) int64 {
	var n *int64
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return otherwise
	}
	return *n
}

func timestamp(raw json.RawMessage) metav1.Time {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return metav1.Time{}
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return metav1.Time{}
	}
	return metav1.Time{Time: at.Local()}
}

// stringsByName decodes a map of strings; nulls become "".
func stringsByName(raw json.RawMessage) map[string]string {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return nil
	}
	texts := map[string]string{}
	for k, v := range m {
		switch v := v.(type) {
		case string:
			texts[k] = v
		case nil:
			texts[k] = ""
		default:
			return nil
		}
	}
	return texts
}

// stringList decodes a list of strings without nulls.
func stringList(raw json.RawMessage) []string {
	var list []*string
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil
	}
	all := []string{}
	for _, s := range list {
		if s == nil {
			return nil
		}
		all = append(all, *s)
	}
	return all
}

// exact decodes a list of structs by the exact names of their fields; encoding/json alone ignores case. ok is false if a name is repeated: decoders
// that go field by field also check the first value, so the results cannot be compared.
func exact[T any](raw json.RawMessage) (list []T, ok bool) {
	var items []map[string]json.RawMessage
	if raw == nil || json.Unmarshal(raw, &items) != nil {
		return nil, true
	}
	distinct := 0
	for _, item := range items {
		distinct += len(item)
	}
	if members(raw) != distinct {
		return nil, false
	}
	if items == nil {
		return nil, true
	}
	names := map[string]bool{}
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		name, _, _ := bytes.Cut([]byte(typ.Field(i).Tag.Get("json")), []byte(","))
		names[string(name)] = true
	}
	list = make([]T, len(items))
	for i, item := range items {
		var doc bytes.Buffer
		doc.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(item)) {
			if !names[name] {
				continue
			}
			if doc.Len() > 1 {
				doc.WriteByte(',')
			}
			doc.WriteString(`"` + name + `":`)
			doc.Write(item[name])
		}
		doc.WriteByte('}')
		if json.Unmarshal(doc.Bytes(), &list[i]) != nil {
			return nil, true
		}
	}
	return list, true
}

// members counts the members of the objects in a list; a repeated name counts each time.
func members(raw json.RawMessage) int {
	dec := json.NewDecoder(bytes.NewReader(raw))
	n := 0
	_, err := dec.Token()
	for err == nil && dec.More() {
		var open json.Token
		if open, err = dec.Token(); open != json.Delim('{') {
			continue // a null
		}
		for err == nil && dec.More() {
			if _, err = dec.Token(); err != nil {
				break
			}
			var value json.RawMessage
			err = dec.Decode(&value)
			n++
		}
		if err == nil {
			_, err = dec.Token()
		}
	}
	return n
}
