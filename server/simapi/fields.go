package simapi

import (
	"bytes"
	"encoding/json"
	"maps"
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

// fields implements simcluster.Fields with the field managers of kube-apiserver. The types that client-go knows and custom resources have their schema.
// That of other types is deduced from the object: lists are atomic. It is safe for concurrent use.
type fields struct {
	builtIn, definitions, deduced managedfields.TypeConverter // definitions are CustomResourceDefinitions

	mu       sync.Mutex
	managers map[fieldsOf]*managedfields.FieldManager
	custom   map[schema.GroupKind]customFields
}

// customFields are the schema of a custom resource, and the versions that have a status subresource.
type customFields struct {
	types       managedfields.TypeConverter
	ownStatuses map[string]bool
	documents   map[string]*spec3.OpenAPI // by version
}

// fieldsOf is what has a field manager of its own.
type fieldsOf struct {
	kind        schema.GroupVersionKind
	subresource string
}

func newFields() *fields {
	return &fields{builtIn: applyconfigurations.NewTypeConverter(scheme.Scheme), definitions: newDefinitionTypes(),
		deduced:  managedfields.NewDeducedTypeConverter(),
		managers: map[fieldsOf]*managedfields.FieldManager{}, custom: map[schema.GroupKind]customFields{}}
}

var definitionKind = apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")

// definitionModels returns the schemas of CustomResourceDefinitions, which client-go does not have, by name.
func definitionModels() map[string]*spec.Schema {
	name := func(path string) string { return strings.ReplaceAll(path, "/", ".") }
	models := map[string]*spec.Schema{}
	for path, d := range generated.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef(refPrefix + name(path)) }) {
		s := d.Schema
		if path == (apiextensionsv1.CustomResourceDefinition{}).OpenAPIModelName() {
			s.AddExtension(kindExtension, kindsOf(definitionKind))
		}
		models[name(path)] = &s
	}
	return models
}

// newDefinitionTypes returns the types of CustomResourceDefinitions.
func newDefinitionTypes() managedfields.TypeConverter {
	types, err := managedfields.NewTypeConverter(definitionModels(), false)
	if err != nil { // the definitions are part of the program
		panic(err)
	}
	return types
}

// define takes the schema of a custom resource from its definition.
func (f *fields) define(crd *apiextensionsv1.CustomResourceDefinition) error {
	c := customFields{ownStatuses: map[string]bool{}, documents: map[string]*spec3.OpenAPI{}}
	var documents []*spec3.OpenAPI
	for _, v := range crd.Spec.Versions {
		document, err := builder.BuildOpenAPIV3(crd, v.Name, builder.Options{})
		if err != nil {
			return err
		}
		documents = append(documents, document)
		c.documents[v.Name] = document
		c.ownStatuses[v.Name] = v.Subresources != nil && v.Subresources.Status != nil
	}
	merged, err := builder.MergeSpecsV3(documents...)
	if err != nil {
		return err
	}
	if c.types, err = managedfields.NewTypeConverter(merged.Components.Schemas, crd.Spec.PreserveUnknownFields); err != nil {
		return err
	}
	f.forget(kindOf(crd))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.custom[kindOf(crd)] = c
	return nil
}

// documents returns the OpenAPI documents of the custom resources of a group version, by kind. They are not to be changed.
func (f *fields) documents(of schema.GroupVersion) map[schema.GroupKind]*spec3.OpenAPI {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[schema.GroupKind]*spec3.OpenAPI{}
	//maporder:free copied into a map
	for kind, c := range f.custom {
		if document := c.documents[of.Version]; kind.Group == of.Group && document != nil {
			found[kind] = document
		}
	}
	return found
}

// forget releases the schema of a custom resource.
func (f *fields) forget(kind schema.GroupKind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.custom, kind)
	maps.DeleteFunc(f.managers, func(of fieldsOf, _ *managedfields.FieldManager) bool { return of.kind.GroupKind() == kind })
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
	custom, isCustom := f.custom[kind.GroupKind()]
	switch {
	case isCustom:
		types = custom.types
	case kind == definitionKind:
		types = f.definitions
	case scheme.Scheme.Recognizes(kind):
		types = f.builtIn
	}
	// A status that has a subresource of its own is changed by that alone.
	reset := fieldpath.NewSet()
	switch {
	case subresource == "status":
		reset.Insert(fieldpath.MakePathOrDie("spec"))
		if isCustom {
			reset.Insert(fieldpath.MakePathOrDie("metadata"))
		}
	case !isCustom || custom.ownStatuses[kind.Version]:
		reset.Insert(fieldpath.MakePathOrDie("status"))
	}
	filter := map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(kind.GroupVersion().String()): fieldpath.NewExcludeSetFilter(reset)}
	m, err := managedfields.NewDefaultCRDFieldManager(types, noConversion{}, noConversion{}, noConversion{}, kind, kind.GroupVersion(), subresource, filter)
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

// liveObject returns the object before a write: an empty one of that kind if there is none. An empty one of a Go type has the fields that are always encoded.
func liveObject(live map[string]any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	if live != nil {
		return toObject(live)
	}
	m := map[string]any{}
	var o runtime.Object
	if kind == definitionKind {
		o = &apiextensionsv1.CustomResourceDefinition{}
	} else if scheme.Scheme.Recognizes(kind) {
		o, _ = scheme.Scheme.New(kind)
	}
	if o != nil {
		var err error
		if m, err = toMap(o); err != nil {
			return nil, err
		}
	}
	m["kind"], m["apiVersion"] = kind.Kind, kind.GroupVersion().String()
	return toObject(m)
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
	from := in.GetObjectKind().GroupVersionKind()
	kind, ok := to.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	if !ok || kind == from {
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
