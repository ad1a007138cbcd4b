package object

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"informerscope/core/words/object/objecttest"
)

func TestParseList(t *testing.T) {
	body := objecttest.PodList(20)
	l, err := ParseList(body)
	if err != nil {
		t.Fatal(err)
	}
	if l.Kind != "PodList" || l.APIVersion != "v1" || l.GetResourceVersion() != "1020" || len(l.Items) != 20 {
		t.Fatalf("%s %s %s, %d items", l.Kind, l.APIVersion, l.ResourceVersion, len(l.Items))
	}
	var u unstructured.UnstructuredList
	if err := u.UnmarshalJSON(body); err != nil {
		t.Fatal(err)
	}
	for i := range body {
		body[i] = 'x' // the list must not refer to the body any more
	}
	for i, o := range l.Items {
		if want := objecttest.Pod(i); !bytes.Equal(o.Raw(), want) {
			t.Errorf("item %d differs from the object in a watch event:\n%s\n%s", i, o.Raw(), want)
		}
		if cap(o.raw) != len(o.raw) {
			t.Errorf("item %d has spare capacity", i)
		}
		if o.GetKind() != "Pod" || o.GetAPIVersion() != "v1" || o.GetName() != u.Items[i].GetName() || o.GetLabels()["app"] != u.Items[i].GetLabels()["app"] ||
			len(o.GetOwnerReferences()) != 1 || !o.GetCreationTimestamp().Time.Equal(u.Items[i].GetCreationTimestamp().Time) {
			t.Errorf("item %d: %s is not %v", i, o, u.Items[i].Object["metadata"])
		}
	}
}

func TestParseListForms(t *testing.T) {
	for _, tc := range []struct{ name, doc, want string }{
		{"null items", `{"kind":"PodList","items":null}`, ``},
		{"no items", `{"kind":"PodList"}`, ``},
		{"empty items", `{"items":[ ]}`, ``},
		{"inherits", `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","labels":{"x":"y"}}},{}]}`,
			`Pod v1 a y {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}}}; Pod v1   {"kind":"Pod","apiVersion":"v1"}`},
		{"kind at the end", `{"items":[{"metadata":{"name":"a"}}],"apiVersion":"g/v1","kind":"FooList"}`,
			`Foo g/v1 a  {"kind":"Foo","apiVersion":"g/v1","metadata":{"name":"a"}}`},
		{"own type kept", `{"kind":"List","apiVersion":"v1","items":[{"kind":"A","apiVersion":"b/v1"},{"kind":"B"},{"apiVersion":"c/v1"}]}`,
			`A b/v1   {"kind":"A","apiVersion":"b/v1"}; B    {"kind":"B"};  c/v1   {"apiVersion":"c/v1"}`},
		{"empty type filled", `{"kind":"AList","apiVersion":"v1","items":[{"kind":"","apiVersion":null,"a":1}]}`, `A v1   {"kind":"A","apiVersion":"v1","a":1}`},
		{"white space inside", "{\"kind\":\"AList\",\"items\":[ {\n } , {\n\"metadata\" : {\"labels\":{\"x\":\"z\"}}} ]}",
			"A    {\"kind\":\"A\",\"apiVersion\":\"\"\n }; A   z {\"kind\":\"A\",\"apiVersion\":\"\",\n\"metadata\" : {\"labels\":{\"x\":\"z\"}}}"},
		{"typeless list", `{"items":[{"a":1}]}`, `    {"a":1}`},
		{"last items win", `{"items":[{"a":1}],"items":[{"b":1}]}`, `    {"b":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, err := ParseList([]byte(tc.doc))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range l.Items {
				if !json.Valid(o.Raw()) {
					t.Errorf("not JSON: %s", o.Raw())
				}
				if again, err := Parse(bytes.Clone(o.Raw())); err != nil || again.GetKind() != o.GetKind() || again.GetAPIVersion() != o.GetAPIVersion() ||
					again.lazy != o.lazy {
					t.Errorf("%s reads as %v, %v, and again as %v", o.Raw(), o.lazy, err, again)
				}
				got = append(got, strings.Join([]string{o.GetKind(), o.GetAPIVersion(), o.GetName(), o.GetLabels()["x"], string(o.Raw())}, " "))
			}
			if s := strings.Join(got, "; "); s != tc.want {
				t.Errorf("\n got %s\nwant %s", s, tc.want)
			}
		})
	}
}

func TestParseListErrors(t *testing.T) {
	for _, tc := range []struct{ doc, want string }{
		{`{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":3}}]}`, "items[1]: metadata.name is a number, not a string"},
		{`{"items":[{},{"a":}]}`, "items[1]: invalid JSON at byte 18"},
		{`{"items":[{},null]}`, "items[1]: is null, not an object"},
		{`{"items":[{},]}`, "items[1]: invalid JSON"},
		{`{"items":{}}`, "items is an object, not an array"},
		{`{"items":[{}`, "unexpected end of input"},
		{`{"items":[{}]} 1`, "want nothing after"},
		{`{"metadata":{"resourceVersion":1}}`, "metadata: "},
		{`{"metadata":7}`, "metadata is a number, not an object"},
		{`{"kind":7}`, "kind is a number, not a string"},
		{`[]`, "the document is an array"},
		{``, "unexpected end"},
		{`<html>`, "byte 0"},
	} {
		if _, err := ParseList([]byte(tc.doc)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("ParseList(%s): %v, want an error with %q", tc.doc, err, tc.want)
		}
	}
}

func TestListWorksWithMeta(t *testing.T) {
	l, err := ParseList(objecttest.PodList(3))
	if err != nil {
		t.Fatal(err)
	}
	if !meta.IsListType(l) || meta.LenList(l) != 3 {
		t.Error("not a list")
	}
	n := 0
	if err := meta.EachListItem(l, func(o runtime.Object) error {
		m, err := meta.Accessor(o)
		if err == nil && m.GetName() == objecttest.Name(n) {
			n++
		}
		return err
	}); err != nil || n != 3 {
		t.Errorf("EachListItem: %d, %v", n, err)
	}
	items, err := meta.ExtractList(l)
	if err != nil || len(items) != 3 {
		t.Fatalf("ExtractList: %v, %v", items, err)
	}
	if err := meta.SetList(l, items[1:]); err != nil || len(l.Items) != 2 || l.Items[0] != items[1] {
		t.Errorf("SetList: %v, %v", l.Items, err)
	}
	if lm, err := meta.ListAccessor(l); err != nil || lm.GetResourceVersion() != "1003" {
		t.Errorf("ListAccessor: %v", err)
	}
	c := l.DeepCopyObject().(*List)
	c.Items[0].SetName("other")
	c.SetResourceVersion("1")
	if l.Items[0].GetName() == "other" || l.ResourceVersion != "1003" {
		t.Error("a change of the copy changed the original")
	}
}

func TestListMarshal(t *testing.T) {
	count := int64(5)
	l := &List{TypeMeta: metav1.TypeMeta{Kind: "AList", APIVersion: "v1"},
		ListMeta: metav1.ListMeta{ResourceVersion: "3", Continue: "c", RemainingItemCount: &count}, Items: []*Object{{}}}
	l.Items[0].SetGroupVersionKind(l.GroupVersionKind().GroupVersion().WithKind("A"))
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var back List
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(&back); !bytes.Equal(again, b) || *back.RemainingItemCount != 5 || back.Continue != "c" {
		t.Errorf("%s became %s", b, again)
	}
}
