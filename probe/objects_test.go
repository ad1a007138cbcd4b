package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/manifests"
)

// bodied is what of a line is looked at here.
type bodied struct {
	Kind  string `json:"k"`
	Key   string `json:"key"`
	RV    string `json:"rv"`
	Text  string `json:"txt"`
	Obj   *bodiedObject
	Items []struct {
		Key, RV string
		Obj     *bodiedObject
	}
}

type bodiedObject struct {
	ID  int
	Raw struct {
		Kind, APIVersion string
		Metadata         struct {
			Name, ResourceVersion string
			Annotations           map[string]string
		}
	}
}

func bodiedLines(t *testing.T, text string) (out []bodied) {
	t.Helper()
	for _, l := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var b bodied
		if err := json.Unmarshal([]byte(l), &b); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		out = append(out, b)
	}
	return out
}

// completeObject makes a ConfigMap of what the source has.
func completeObject(obj any) (any, error) {
	o, ok := obj.(*metav1.PartialObjectMetadata)
	if !ok {
		return obj, nil
	}
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	u.SetName(o.Name)
	u.SetNamespace(o.Namespace)
	u.SetResourceVersion(o.ResourceVersion)
	u.SetAnnotations(map[string]string{"note": "kept", "x/last-applied": "a copy"})
	return u, nil
}

// viewOf follows an informer of things from a viewer's side.
func viewOf(t *testing.T, o Options, transform cache.TransformFunc, s *source) (p *Probe, v *viewer, out *strings.Builder, handled *atomic.Int64) {
	t.Helper()
	inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	if err := inf.SetTransform(transform); err != nil {
		t.Fatal(err)
	}
	handled = new(atomic.Int64)
	count := func(any) { handled.Add(1) }
	if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: count, UpdateFunc: func(any, any) { count(nil) }, DeleteFunc: count}); err != nil {
		t.Fatal(err)
	}
	p = New(o)
	p.Informer(gvr("things"), inf)
	run(t, inf)
	if !p.attach() {
		t.Fatal("refused")
	}
	t.Cleanup(p.detach)
	out = &strings.Builder{}
	v = newViewer(p, out, p.informers())
	if err := v.begin(nil); err != nil {
		t.Fatal(err)
	}
	return p, v, out, handled
}

// TestBodies: what Options.Objects names is told whole, in the baseline and with each version, without copies of manifests; nothing else is.
func TestBodies(t *testing.T) {
	s := newSource(5)
	p, v, out, handled := viewOf(t, Options{Objects: []schema.GroupVersionResource{gvr("things")}}, completeObject, s)
	eventually(t, "the first are handled", func() bool { return handled.Load() == 5 })
	for range 3 {
		s.set(2)
	}
	s.set(7)
	s.remove(1)
	eventually(t, "all is handled", func() bool { return handled.Load() == 10 })
	if err := v.finish(); err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	check := func(what, key, rv string, o *bodiedObject) {
		t.Helper()
		if o == nil {
			t.Errorf("%s of %s at %s has no body", what, key, rv)
			return
		}
		m := o.Raw.Metadata
		if o.ID != 1 || o.Raw.Kind != "ConfigMap" || o.Raw.APIVersion != "v1" || !strings.HasSuffix(key, "/"+m.Name) || m.ResourceVersion != rv ||
			len(m.Annotations) != 2 || m.Annotations["note"] != "kept" || m.Annotations["x/last-applied"] != manifests.Replacement {
			t.Errorf("%s of %s at %s is recorded as %+v", what, key, rv, o)
		}
		checked[what]++
	}
	for _, l := range bodiedLines(t, out.String()) {
		switch l.Kind {
		case "StoreAdded", "StoreUpdated":
			check(l.Kind, l.Key, l.RV, l.Obj)
		case "Restored":
			for _, item := range l.Items {
				check("Restored", item.Key, item.RV, item.Obj)
			}
			if !strings.Contains(l.Text, `"indexer.objects":{"how":"derived"`) {
				t.Errorf("the baseline does not say how bodies are known: %s", l.Text)
			}
		default:
			if l.Obj != nil {
				t.Errorf("a %s has a body", l.Kind)
			}
		}
	}
	if fmt.Sprint(checked) != "map[Restored:5 StoreAdded:1 StoreUpdated:3]" {
		t.Errorf("with bodies: %v", checked)
	}
	noLayerOff(t, p)

	for name, o := range map[string]Options{"not asked for": {}, "of others": {Objects: []schema.GroupVersionResource{gvr("pods")}}} {
		_, _, out, _ := viewOf(t, o, completeObject, newSource(5))
		if strings.Contains(out.String(), `"obj"`) || !strings.Contains(out.String(), bodiesNotAsked) {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestBodiesAreBounded: what has changed is remembered up to a number, and a baseline has bodies up to a size; what is left over has none, and
// all else is told as ever.
func TestBodiesAreBounded(t *testing.T) {
	needsJoints(t, "the store at the moment of a change")
	large := strings.Repeat("x ", 300<<10)
	var small atomic.Bool
	s := newSource(40)
	p, v, out, handled := viewOf(t, Options{Objects: []schema.GroupVersionResource{gvr("things")}}, func(obj any) (any, error) {
		obj, err := completeObject(obj)
		if u, ok := obj.(*unstructured.Unstructured); ok && !small.Load() {
			u.Object["text"] = large
			if u.GetName() == "o00003" {
				u.Object["text"] = large + large
			}
		}
		return obj, err
	}, s)
	eventually(t, "the first are handled", func() bool { return handled.Load() == 40 })
	with := 0
	for _, l := range bodiedLines(t, out.String()) {
		if l.Kind != "Restored" {
			continue
		}
		if len(l.Items) != 40 {
			t.Errorf("the baseline has %d objects", len(l.Items))
		}
		for _, item := range l.Items {
			if item.Obj != nil {
				with++
			}
			if item.Obj != nil && strings.HasSuffix(item.Key, "o00003") {
				t.Error("an object over the limit has a body")
			}
		}
	}
	if want := maxBaseline/len(large) + 1; with != want {
		t.Errorf("of the baseline %d objects have a body, want %d", with, want)
	}
	small.Store(true)
	n := 0
	for range 3 * maxPins {
		s.set(9)
		n++
	}
	eventually(t, "all is handled", func() bool { return handled.Load() == int64(40+n) })
	p.mu.Lock()
	kept := len(p.pins)
	p.mu.Unlock()
	if kept != maxPins {
		t.Errorf("%d objects are kept", kept)
	}
	out.Reset()
	out.WriteString("\n")
	if err := v.finish(); err != nil {
		t.Fatal(err)
	}
	told, bodies := 0, 0
	for _, l := range bodiedLines(t, out.String()) {
		if l.Kind == "StoreUpdated" {
			if told++; l.Obj != nil {
				bodies++
			}
		}
	}
	if told != n || bodies != maxPins {
		t.Errorf("of %d versions %d were told, %d with a body", n, told, bodies)
	}
}

// broken is an object whose JSON cannot be made.
type broken struct{ *unstructured.Unstructured }

func (broken) MarshalJSON() ([]byte, error) { panic("correct horse") }

// TestABodyFails: what cannot be encoded switches the bodies off and nothing else, with a reason that has nothing of the panic's text.
func TestABodyFails(t *testing.T) {
	needsJoints(t, "the store at the moment of a change")
	var fails atomic.Bool
	s := newSource(2)
	p, v, out, handled := viewOf(t, Options{Objects: []schema.GroupVersionResource{gvr("things")}}, func(obj any) (any, error) {
		obj, err := completeObject(obj)
		if u, ok := obj.(*unstructured.Unstructured); ok && fails.Load() {
			return broken{u}, nil
		}
		return obj, err
	}, s)
	fails.Store(true)
	for i := range 10 {
		s.set(i)
	}
	eventually(t, "all is handled", func() bool { return handled.Load() == 12 })
	if err := v.finish(); err != nil {
		t.Fatal(err)
	}
	layers := p.informers()[0].offLayers()
	if len(layers) != 1 || !strings.Contains(layers["objects"], "failed (string) and was switched off") || strings.Contains(out.String(), "horse") {
		t.Errorf("off: %v", layers)
	}
	lines := bodiedLines(t, out.String())
	last := -1
	for i, l := range lines {
		if l.Kind == "Restored" {
			last = i
		}
	}
	if l := lines[last]; len(l.Items) != 10 || !strings.Contains(l.Text, `"indexer.objects":{"how":"unseen","why":"the probe's own hook failed`) {
		t.Errorf("the baseline behind it: %d objects, %s", len(l.Items), l.Text)
	}
}

// What is not examined has nothing that would be taken out.
func TestWhatIsExamined(t *testing.T) {
	for _, raw := range []string{`{"metadata":{"annotations":{"a":"b"}}}`, `{"x":{"` + manifests.AppliedKey + `":"y"}}`, `{"\u0061nnotations":{"a/applied":"b"}}`,
		`{"kind":"Secret","data":{}}`, `{"kind":"PartialObjectMetadata"}`} {
		if !mayHaveSecrets([]byte(raw)) {
			t.Errorf("%s is not examined", raw)
		}
	}
	if mayHaveSecrets([]byte(`{"metadata":{"name":"a","labels":{"b":"c"}},"spec":{"replicas":1}}`)) {
		t.Error("an object without annotations is examined")
	}
}
