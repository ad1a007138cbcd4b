package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"informerscope/core/words/object/objecttest"
)

func parse(t *testing.T, doc string) *Object {
	t.Helper()
	o, err := Parse([]byte(doc))
	if err != nil {
		t.Fatalf("Parse(%s): %v", doc, err)
	}
	return o
}

// TestGettersAgreeWithUnstructured compares the getters with those of unstructured.Unstructured, for a realistic pod and for odd objects.
func TestGettersAgreeWithUnstructured(t *testing.T) {
	docs := map[string][]byte{
		"pod":    objecttest.Pod(42),
		"pretty": pretty(t, objecttest.Pod(7)),
		"deleted": []byte(`{"kind":"Foo","apiVersion":"g.io/v1","metadata":{"name":"n","uid":"u","generation":7,"selfLink":"/x","generateName":"n-",
			"deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":30,"finalizers":["a.io/f","\u0062"],"labels":{},"annotations":{"a":null,"\u0061b":"\ud83d\ude00"}}}`),
		"nulls":   []byte(`{"kind":"Foo","metadata":{"name":null,"labels":null,"creationTimestamp":null,"ownerReferences":null,"generation":null,"finalizers":null,"managedFields":null}}`),
		"no meta": []byte(`{"kind":"Foo"}`),
		"odd":     []byte(`{"kind":"Foo","apiVersion":"b/c","metadata":{"generation":1.5,"creationTimestamp":"yesterday","labels":{"a":1},"finalizers":[1],"annotations":{"a":1,"a":"x"}}}`),
	}
	for name, doc := range docs {
		t.Run(name, func(t *testing.T) {
			o, err := Parse(bytes.Clone(doc))
			if err != nil {
				t.Fatal(err)
			}
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON(doc); err != nil {
				t.Fatal(err)
			}
			for _, getter := range []string{"GetName", "GetNamespace", "GetUID", "GetResourceVersion", "GetGenerateName", "GetSelfLink", "GetGeneration",
				"GetCreationTimestamp", "GetDeletionTimestamp", "GetDeletionGracePeriodSeconds", "GetLabels", "GetAnnotations", "GetFinalizers",
				"GetOwnerReferences", "GetManagedFields", "GetKind", "GetAPIVersion", "GroupVersionKind"} {
				got := reflect.ValueOf(o).MethodByName(getter).Call(nil)[0].Interface()
				want := reflect.ValueOf(u).MethodByName(getter).Call(nil)[0].Interface()
				if name == "pretty" && getter == "GetManagedFields" {
					continue // FieldsV1 keeps raw bytes: ours include the document's white space
				}
				if !apiequality.Semantic.DeepEqual(got, want) {
					t.Errorf("%s: %#v, unstructured has %#v", getter, got, want)
				}
			}
		})
	}
}

func pretty(t testing.TB, doc []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, doc, " \t", "\t"); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), " \r\n"...)
}

func TestReadingRules(t *testing.T) {
	for _, tc := range []struct{ name, doc, kind, objName string }{
		{"escapes", `{"\u006bind":"P\u006fd","metadata":{"n\u0061me":"\ud83d\ude00\n"}}`, "Pod", "😀\n"},
		{"lone surrogate", `{"kind":"\ud83d","metadata":{"name":"a\udc00b"}}`, "\ufffd", "a\ufffdb"},
		{"invalid utf-8", "{\"kind\":\"a\xffb\",\"metadata\":{\"name\":\"\xc3\"}}", "a\ufffdb", "\ufffd"},
		{"valid utf-8", `{"kind":"é","metadata":{"name":"日本"}}`, "é", "日本"},
		{"last key wins", `{"kind":"A","metadata":{"name":"a","name":"b"},"kind":"B"}`, "B", "b"},
		{"last metadata wins whole", `{"metadata":{"name":"a"},"metadata":{"uid":"b"}}`, "", ""},
		{"wrong type overwritten", `{"kind":1,"kind":"A","metadata":{"name":1,"name":"b"}}`, "A", "b"},
		{"null overwrites", `{"kind":"A","kind":null,"metadata":{"name":"b"},"metadata":null}`, "", ""},
		{"case counts", `{"Kind":"A","Metadata":{"name":"a"},"metadata":{"Name":"b"}}`, "", ""},
		{"white space", " \r\n\t{ \"kind\" : \"A\" , \"metadata\" : { \"name\" : \"b\" } } \n", "A", "b"},
		{"empty", `{}`, "", ""},
		{"not its metadata", `{"spec":{"metadata":{"name":"x"},"kind":"y"}}`, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := parse(t, tc.doc)
			if o.GetKind() != tc.kind || o.GetName() != tc.objName {
				t.Errorf("kind %q, name %q; want %q, %q", o.GetKind(), o.GetName(), tc.kind, tc.objName)
			}
			if want := strings.Trim(tc.doc, " \r\n\t"); string(o.Raw()) != want || o.Size() != len(want) {
				t.Errorf("Raw %q (Size %d), want %q", o.Raw(), o.Size(), want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("[", 10000) + strings.Repeat("]", 10000)
	for _, tc := range []struct{ doc, want string }{
		{``, "unexpected end of input"},
		{`  `, "unexpected end of input"},
		{`null`, "the document is null, not an object"},
		{`[1]`, "the document is an array, not an object"},
		{`"x"`, "the document is a string, not an object"},
		{`-1.5e+3`, "the document is a number, not an object"},
		{`true`, "the document is a boolean, not an object"},
		{`{"a":1}x`, `byte 7: want nothing after the document, found 'x'`},
		{`{"a":1}{}`, `byte 7`},
		{`{"a":01}`, "byte 6: want a comma or }"},
		{`{"a":1,}`, "byte 7: want a key in quotes"},
		{`{"a" 1}`, "want a colon"},
		{`{"a":[1,]}`, "byte 8: want a value"},
		{`{"a":[1 2]}`, "want a comma or ]"},
		{`{"a":nul}`, "want the literal null"},
		{`{"a":"` + "\n" + `"}`, "control character in string"},
		{`{"a":"\x"}`, "unknown escape"},
		{`{"a":"\u00g0"}`, "four hexadecimal digits"},
		{`{"a":"\u00`, "unexpected end of input"},
		{`{"a":-}`, "want a digit"},
		{`{"a":1.}`, "decimal point"},
		{`{"a":1e}`, "exponent"},
		{`{"a":` + deep + `}`, "nested deeper than 10000 levels"},
		{`{"metadata":{"name":1}}`, "metadata.name is a number, not a string"},
		{`{"metadata":{"namespace":{}}}`, "metadata.namespace is an object, not a string"},
		{`{"metadata":{"uid":[]}}`, "metadata.uid is an array, not a string"},
		{`{"metadata":{"resourceVersion":5}}`, "metadata.resourceVersion is a number, not a string"},
		{`{"metadata":{"labels":[]}}`, "metadata.labels is an array, not an object"},
		{`{"metadata":{"generation":"1"}}`, "metadata.generation is a string, not a number"},
		{`{"metadata":[]}`, "metadata is an array, not an object"},
		{`{"kind":true}`, "kind is a boolean, not a string"},
		{`{"apiVersion":1}`, "apiVersion is a number, not a string"},
	} {
		_, err := Parse([]byte(tc.doc))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Parse(%.60s): %v, want an error with %q", tc.doc, err, tc.want)
		}
	}
	if _, err := Parse([]byte(`{"a":` + deep[1:len(deep)-1] + `}`)); err != nil {
		t.Errorf("10000 levels: %v", err)
	}
}

// TestEveryPrefix truncates a document at every byte: Parse must refuse each prefix, without a panic.
func TestEveryPrefix(t *testing.T) {
	doc := objecttest.Pod(3)
	for i := range doc {
		if _, err := Parse(bytes.Clone(doc[:i])); err == nil {
			t.Fatalf("the first %d bytes were accepted", i)
		}
	}
}

// TestEveryByteChanged changes single bytes; the scanner must accept what encoding/json accepts, and nothing else.
func TestEveryByteChanged(t *testing.T) {
	doc := objecttest.Pod(4)
	for i := range doc {
		for _, c := range []byte{'"', '\\', '}', ',', ' ', 0x1f, '0', 0xff} {
			changed := bytes.Clone(doc)
			changed[i] = c
			s := scanner{changed}
			_, _, err := s.document(func(_ []byte, i int) (int, error) { return s.value(i, 1) })
			if valid := json.Valid(changed); valid != (err == nil) {
				t.Fatalf("byte %d changed to %q: %v, but encoding/json.Valid returns %v", i, c, err, valid)
			}
		}
	}
}

func TestSetters(t *testing.T) {
	never, thirty := false, int64(30)
	when := metav1.NewTime(time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC))
	set := func(o metav1.Object) {
		o.SetName("new")
		o.SetNamespace("space")
		o.SetGenerateName("new-")
		o.SetUID("uid-2")
		o.SetResourceVersion("77")
		o.SetGeneration(9)
		o.SetSelfLink("/self")
		o.SetCreationTimestamp(when)
		o.SetDeletionTimestamp(&when)
		o.SetDeletionGracePeriodSeconds(&thirty)
		o.SetLabels(map[string]string{"a": "<b>", "c": "d\"e"})
		o.SetAnnotations(map[string]string{})
		o.SetFinalizers([]string{"x.io/y"})
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "K", Name: "n", UID: "u", Controller: &never}})
		o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "m", Operation: "Apply", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:a":{}}`)}}})
	}
	clear := func(o metav1.Object) {
		o.SetName("")
		o.SetNamespace("")
		o.SetGenerateName("")
		o.SetUID("")
		o.SetResourceVersion("")
		o.SetGeneration(0)
		o.SetSelfLink("")
		o.SetCreationTimestamp(metav1.Time{})
		o.SetDeletionTimestamp(nil)
		o.SetDeletionGracePeriodSeconds(nil)
		o.SetLabels(nil)
		o.SetAnnotations(nil)
		o.SetFinalizers(nil)
		o.SetOwnerReferences(nil)
		o.SetManagedFields(nil)
	}
	for name, doc := range map[string]string{
		"pod":         string(objecttest.Pod(1)),
		"no metadata": `{"kind":"Foo","spec":{"a":1.0}}`,
		"null":        `{"kind":"Foo","metadata":null}`,
		"repeated":    `{"kind":"Foo","metadata":{"name":"a"},"metadata":{"name":"b","name":"c","x":"y"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			o := parse(t, doc)
			before := o.DeepCopyObject().(*Object)
			if &before.raw[0] != &o.raw[0] {
				t.Error("the copy does not share the bytes")
			}
			u := &unstructured.Unstructured{}
			// unstructured cannot set a field inside null.
			if err := u.UnmarshalJSON([]byte(strings.Replace(doc, `,"metadata":null`, "", 1))); err != nil {
				t.Fatal(err)
			}
			same := func(step string) {
				t.Helper()
				var got, want any
				fromUs, err := json.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				fromThem, err := json.Marshal(u)
				if err != nil {
					t.Fatal(err)
				}
				if json.Unmarshal(fromUs, &got) != nil || json.Unmarshal(fromThem, &want) != nil {
					t.Fatal("not JSON")
				}
				if name, _ := want.(map[string]any)["metadata"].(map[string]any); len(name) == 0 {
					delete(want.(map[string]any), "metadata")
					if m, _ := got.(map[string]any)["metadata"].(map[string]any); len(m) == 0 {
						delete(got.(map[string]any), "metadata")
					}
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s:\n got %s\nwant %s", step, fromUs, fromThem)
				}
			}
			set(o)
			set(u)
			same("after setting")
			if got := o.GetName() + o.GetNamespace() + string(o.GetUID()) + o.GetResourceVersion(); got != "newspaceuid-277" {
				t.Errorf("the getters read %q", got)
			}
			clear(o)
			clear(u)
			same("after clearing")
			if string(before.Raw()) != doc || before.GetName() != parse(t, doc).GetName() {
				t.Errorf("the copy changed: %s", before.Raw())
			}
		})
	}
}

func TestSetGroupVersionKind(t *testing.T) {
	o := parse(t, `{"kind":"A","spec":1}`)
	raw := &o.raw[0]
	o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Kind: "A"})
	if &o.raw[0] != raw {
		t.Error("setting the current type copied the bytes")
	}
	gvk := schema.GroupVersionKind{Group: "g", Version: "v1", Kind: "B"}
	o.GetObjectKind().SetGroupVersionKind(gvk)
	if got := o.GetObjectKind().GroupVersionKind(); got != gvk || string(o.Raw()) != `{"kind":"B","spec":1,"apiVersion":"g/v1"}` {
		t.Errorf("%v: %s", got, o.Raw())
	}
}

func TestSetterOfWhatCannotBeWritten(t *testing.T) {
	o := parse(t, `{"metadata":{"name":"a"}}`)
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{FieldsV1: &metav1.FieldsV1{Raw: []byte(`{broken`)}}})
	if string(o.Raw()) != `{"metadata":{"name":"a"}}` {
		t.Errorf("the object changed: %s", o.Raw())
	}
}

func TestZeroObject(t *testing.T) {
	o := &Object{}
	if b, err := json.Marshal(o); err != nil || string(b) != "{}" || o.GetName() != "" || o.GetLabels() != nil || o.Get("a").Exists() || o.Get("").Exists() {
		t.Errorf("%s %v", b, err)
	}
	o.SetName("x")
	if string(o.Raw()) != `{"metadata":{"name":"x"}}` || o.GetName() != "x" {
		t.Errorf("%s", o.Raw())
	}
	if (*Object)(nil).DeepCopyObject() != nil {
		t.Error("a copy of nil is not nil")
	}
}

func TestUnmarshalJSON(t *testing.T) {
	doc := []byte(`{"kind":"A","metadata":{"name":"a"}}`)
	var o Object
	if err := json.Unmarshal(doc, &o); err != nil {
		t.Fatal(err)
	}
	copy(doc, `XXXXXXXXXXX`)
	if o.Get("kind").String() != "A" || o.String() != "A a" {
		t.Errorf("%s %s", o.Raw(), &o)
	}
	if err := o.UnmarshalJSON([]byte(`{"kind":1}`)); err == nil || o.GetName() != "a" {
		t.Errorf("%v; the object is %s", err, o.Raw())
	}
	if m, err := meta.Accessor(&o); err != nil || m.GetName() != "a" {
		t.Errorf("meta.Accessor: %v", err)
	}
}

// TestStringsDoNotPin checks that the getters do not return views of the raw bytes.
func TestStringsDoNotPin(t *testing.T) {
	raw := objecttest.Pod(1)
	o, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	labels := o.GetLabels()
	got := fmt.Sprint(o.GetName(), o.GetUID(), o.GetKind(), labels)
	for i := range raw {
		raw[i] = 'x'
	}
	if now := fmt.Sprint(o.GetName(), o.GetUID(), o.GetKind(), labels); now != got {
		t.Errorf("%s became %s", got, now)
	}
}

func TestConcurrentReaders(t *testing.T) {
	o, err := Parse(objecttest.Pod(1))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				if o.GetLabels()["tier"] != "frontend" || len(o.GetOwnerReferences()) != 1 || o.Get("spec.nodeName").String() != "node-1" ||
					o.GetUID() != types.UID(objecttest.UID(1)) {
					t.Error("misread")
				}
				if p, err := Parse(objecttest.Pod(i)); err != nil || p.GetNamespace() != objecttest.Namespace(i) {
					t.Errorf("pod %d: %v %v", i, p, err)
				}
			}
		})
	}
	wg.Wait()
}
