package kubeapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// fields keeps metadata.managedFields of one version of a kind with the field managers of kube-apiserver. It is safe for concurrent use.
type fields struct {
	kind                schema.GroupVersionKind
	types               managedfields.TypeConverter
	isCustom, ownStatus bool // ownStatus: the status has a subresource, which alone changes it

	mu       sync.Mutex
	managers map[string]*managedfields.FieldManager // by subresource
}

func newFields(kind schema.GroupVersionKind, types managedfields.TypeConverter, isCustom, ownStatus bool) *fields {
	return &fields{kind: kind, types: types, isCustom: isCustom, ownStatus: ownStatus, managers: map[string]*managedfields.FieldManager{}}
}

var definitionKind = apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")

// builtInTypes are the types that client-go knows.
var builtInTypes = sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(scheme.Scheme) })

// definitionTypes are those of CustomResourceDefinitions, which client-go does not have.
var definitionTypes = sync.OnceValue(func() managedfields.TypeConverter {
	name := func(path string) string { return strings.ReplaceAll(path, "/", ".") }
	models := map[string]*spec.Schema{}
	for path, d := range generated.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef("#/components/schemas/" + name(path)) }) {
		s := d.Schema
		if path == (apiextensionsv1.CustomResourceDefinition{}).OpenAPIModelName() {
			s.AddExtension("x-kubernetes-group-version-kind",
				[]any{map[string]any{"group": definitionKind.Group, "version": definitionKind.Version, "kind": definitionKind.Kind}})
		}
		models[name(path)] = &s
	}
	types, err := managedfields.NewTypeConverter(models, false)
	if err != nil { // the definitions are part of the program
		panic(err)
	}
	return types
})

// customTypes returns the types of all versions of a custom resource.
func customTypes(crd *apiextensionsv1.CustomResourceDefinition) (managedfields.TypeConverter, error) {
	var documents []*spec3.OpenAPI
	for _, v := range crd.Spec.Versions {
		document, err := builder.BuildOpenAPIV3(crd, v.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	merged, err := builder.MergeSpecsV3(documents...)
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(merged.Components.Schemas, crd.Spec.PreserveUnknownFields)
}

// manager returns the field manager of a subresource, or of the object if it is empty.
func (f *fields) manager(subresource string) (*managedfields.FieldManager, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.managers[subresource]; m != nil {
		return m, nil
	}
	reset := fieldpath.NewSet()
	switch {
	case subresource == "status":
		reset.Insert(fieldpath.MakePathOrDie("spec"))
		if f.isCustom {
			reset.Insert(fieldpath.MakePathOrDie("metadata"))
		}
	case f.ownStatus:
		reset.Insert(fieldpath.MakePathOrDie("status"))
	}
	version := f.kind.GroupVersion()
	filter := map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(version.String()): fieldpath.NewExcludeSetFilter(reset)}
	m, err := managedfields.NewDefaultCRDFieldManager(f.types, noConversion{}, noConversion{}, noConversion{}, f.kind, version, subresource, filter)
	if err == nil {
		f.managers[subresource] = m
	}
	return m, err
}

// Own implements simcluster.Schema.
func (f *fields) Own(live, next map[string]any, manager, subresource string) (map[string]any, error) {
	after, err := toObject(next)
	if err != nil {
		return nil, err
	}
	return f.merge(live, subresource, func(m *managedfields.FieldManager, before runtime.Object) (runtime.Object, error) {
		return m.Update(before, after, manager)
	})
}

// merge returns what the field manager of a subresource makes of live, nil for a new object.
func (f *fields) merge(live map[string]any, subresource string,
	write func(m *managedfields.FieldManager, before runtime.Object) (runtime.Object, error)) (map[string]any, error) {
	before, err := liveObject(live, f.kind)
	if err != nil {
		return nil, err
	}
	m, err := f.manager(subresource)
	if err != nil {
		return nil, err
	}
	merged, err := write(m, before)
	if err != nil {
		return nil, err
	}
	return toMap(merged)
}

// liveObject returns the object before a write: an empty one of that kind if there is none. An empty one of a Go type has the fields that are always encoded.
func liveObject(live map[string]any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	if live != nil {
		return toObject(live)
	}
	m := map[string]any{}
	if o := newObject(kind); o != nil {
		var err error
		if m, err = toMap(o); err != nil {
			return nil, err
		}
	}
	m["kind"], m["apiVersion"] = kind.Kind, kind.GroupVersion().String()
	return toObject(m)
}

// newObject returns an empty object of the Go type of a kind, nil for a custom one.
func newObject(kind schema.GroupVersionKind) runtime.Object {
	if kind == definitionKind {
		return &apiextensionsv1.CustomResourceDefinition{}
	}
	if !scheme.Scheme.Recognizes(kind) {
		return nil
	}
	o, _ := scheme.Scheme.New(kind)
	return o
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

// noConversion converts objects between versions that differ in their apiVersion only, and sets no defaults: the cluster does that.
type noConversion struct{}

func (noConversion) Convert(_, _, _ any) error { return nil }

func (noConversion) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	current := in.GetObjectKind().GroupVersionKind()
	kind, ok := to.KindForGroupVersionKinds([]schema.GroupVersionKind{current})
	if !ok || kind == current {
		return in, nil
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(kind)
	return out, nil
}

func (noConversion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (noConversion) Default(runtime.Object) {}

func (noConversion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	return liveObject(nil, kind)
}
