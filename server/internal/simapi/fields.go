package simapi

import (
	"bytes"
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// fields implements simcluster.Fields with the field managers of kube-apiserver: those of the types that client-go knows have their schema, those of others
// deduce one from the object, in which lists are atomic. It is safe for concurrent use.
type fields struct {
	builtIn, deduced managedfields.TypeConverter

	mu       sync.Mutex
	managers map[fieldsOf]*managedfields.FieldManager
}

// fieldsOf is what has a field manager of its own.
type fieldsOf struct {
	kind        schema.GroupVersionKind
	subresource string
}

func newFields() *fields {
	return &fields{builtIn: applyconfigurations.NewTypeConverter(scheme.Scheme), deduced: managedfields.NewDeducedTypeConverter(),
		managers: map[fieldsOf]*managedfields.FieldManager{}}
}

// manager returns the field manager of an object.
func (f *fields) manager(kind schema.GroupVersionKind, subresource string) (*managedfields.FieldManager, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := fieldsOf{kind, subresource}
	if m := f.managers[of]; m != nil {
		return m, nil
	}
	types := f.deduced
	if scheme.Scheme.Recognizes(kind) {
		types = f.builtIn
	}
	// The status has a subresource of its own, which alone changes it.
	reset := "status"
	if subresource == "status" {
		reset = "spec"
	}
	filter := map[fieldpath.APIVersion]fieldpath.Filter{
		fieldpath.APIVersion(kind.GroupVersion().String()): fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie(reset)))}
	m, err := managedfields.NewDefaultCRDFieldManager(types, oneVersion{}, oneVersion{}, oneVersion{}, kind, kind.GroupVersion(), subresource, filter)
	if err == nil {
		f.managers[of] = m
	}
	return m, err
}

// Update implements simcluster.Fields.
func (f *fields) Update(live, next map[string]any, manager, subresource string) (map[string]any, error) {
	after, err := toObject(next)
	if err != nil {
		return nil, err
	}
	before, err := liveObject(live, after.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	m, err := f.manager(after.GroupVersionKind(), subresource)
	if err != nil {
		return nil, err
	}
	written, err := m.Update(before, after, manager)
	if err != nil {
		return nil, err
	}
	return toMap(written)
}

// Apply implements simcluster.Fields.
func (f *fields) Apply(live, config map[string]any, manager, subresource string, force bool) (map[string]any, error) {
	applied, err := toObject(config)
	if err != nil {
		return nil, err
	}
	before, err := liveObject(live, applied.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	m, err := f.manager(applied.GroupVersionKind(), subresource)
	if err != nil {
		return nil, err
	}
	merged, err := m.Apply(before, applied, manager, force)
	if err != nil {
		return nil, err
	}
	return toMap(merged)
}

// liveObject returns the object before a write: an empty one of that kind if there is none.
func liveObject(live map[string]any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	if live != nil {
		return toObject(live)
	}
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(kind)
	return empty, nil
}

// toObject copies a decoded object. Its numbers become those of an Unstructured.
func toObject(m map[string]any) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	return o, o.UnmarshalJSON(text)
}

func toMap(o runtime.Object) (m map[string]any, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // as the cluster decodes objects
	return m, d.Decode(&m)
}

// oneVersion converts nothing, as each kind is served in one version, and sets no defaults: the cluster does that.
type oneVersion struct{}

func (oneVersion) Convert(_, _, _ any) error { return nil }

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (oneVersion) Default(runtime.Object) {}

func (oneVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return liveObject(nil, kind)
}
