package object

import (
	"encoding/json"
	"reflect"
	"testing"

	"informerscope/core/words/object/objecttest"
)

// TestWhatIsDropped compares both ways to drop fields with a JSON decoder.
func TestWhatIsDropped(t *testing.T) {
	pod := objecttest.Pod(7)
	for _, doc := range []string{
		string(pod), string(objecttest.Pod(8, objecttest.WithoutType())), string(pretty(t, pod)),
		`{}`, `{"metadata":{}}`, `{"metadata":null,"spec":1}`, `{"kind":"<K>","spec":{},"metadata":{"name":"n"}}`,
		`{"metadata":{"managedFields":null,"name":"n"}}`, `{"metadata":{"managedFields":[],"name":"n"}}`,
		`{"metadata":{"name":"n","managedFields":[1],"x":{"managedFields":[2]}},"managedFields":[3]}`,
		`{"metadata":{"managedFields":[1],"managedFields":[2],"name":"n"},"metadata":{"name":"m","managedFields":[4]}}`,
	} {
		for name, drop := range map[string]func(*Object) *Object{
			"WithoutManagedFields": (*Object).WithoutManagedFields, "MetadataOnly": (*Object).MetadataOnly,
		} {
			o := parse(t, doc)
			before := string(o.Raw())
			got := drop(o)
			var left, want map[string]any
			if err := json.Unmarshal(got.Raw(), &left); err != nil {
				t.Fatalf("%s of %s: %v", name, doc, err)
			}
			if err := json.Unmarshal([]byte(doc), &want); err != nil {
				t.Fatal(err)
			}
			if m, ok := want["metadata"].(map[string]any); ok && m["managedFields"] != nil {
				delete(m, "managedFields")
			}
			if name == "MetadataOnly" {
				for k := range want {
					if k != "apiVersion" && k != "kind" && k != "metadata" || want[k] == nil {
						delete(want, k)
					}
				}
			}
			if !reflect.DeepEqual(left, want) {
				t.Errorf("%s of %s is %s", name, doc, got.Raw())
			}
			if string(o.Raw()) != before {
				t.Errorf("%s changed %s to %s", name, doc, o.Raw())
			}
			if held, came := got.Weight(); came != o.Size() || held != len(got.Raw()) {
				t.Errorf("%s of %s has weights came %d and held %d, want %d and %d", name, doc, came, held, o.Size(), len(got.Raw()))
			}
			if again := drop(got); again != got {
				t.Errorf("%s twice makes another object of %s", name, doc)
			}
			if o.GetName() != got.GetName() || o.GetResourceVersion() != got.GetResourceVersion() || got.GetManagedFields() != nil {
				t.Errorf("%s of %s has name %s and resourceVersion %s", name, doc, got.GetName(), got.GetResourceVersion())
			}
		}
	}
}

func TestWeight(t *testing.T) {
	weighs := func(o *Object, wantHeld, wantCame int) {
		t.Helper()
		if held, came := o.Weight(); held != wantHeld || came != wantCame {
			t.Errorf("Weight is %d, %d; want %d, %d", held, came, wantHeld, wantCame)
		}
	}
	o := parse(t, `{"metadata":{"managedFields":[1],"name":"n"}}`)
	weighs(o, o.Size(), o.Size())
	both := o.WithoutManagedFields().MetadataOnly()
	weighs(both, both.Size(), o.Size())
	c := parse(t, string(both.Raw()))
	c.SetWeight(0, o.Size())
	weighs(c, c.Size(), o.Size())
	c.SetWeight(99, 0)
	weighs(c.DeepCopy(), 99, 99)
	c.SetWeight(1, -1)
	weighs(c, 99, 99)
	if err := c.UnmarshalJSON([]byte(`{}`)); err != nil {
		t.Error(err)
	}
	weighs(c, 2, 2)
}

func BenchmarkWithoutManagedFields(b *testing.B) { benchmarkDrop(b, (*Object).WithoutManagedFields) }

func BenchmarkMetadataOnly(b *testing.B) { benchmarkDrop(b, (*Object).MetadataOnly) }

func benchmarkDrop(b *testing.B, drop func(*Object) *Object) {
	o, err := Parse(objecttest.Pod(1))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(o.Size()))
	b.ReportAllocs()
	for b.Loop() {
		drop(o)
	}
}
