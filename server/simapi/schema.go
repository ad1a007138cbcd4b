package simapi

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/version"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	"informerscope/core/simcluster"
)

// schemas implements simcluster.Schemas with the strategies and schemas of kube-apiserver. It is safe for concurrent use.
type schemas struct {
	fields      *fields
	definitions *runtime.Scheme // has CustomResourceDefinition
}

func newSchemas(f *fields) *schemas {
	s := &schemas{fields: f, definitions: runtime.NewScheme()}
	install.Install(s.definitions)
	return s
}

// BuiltIn implements simcluster.Schemas.
func (s *schemas) BuiltIn(kind schema.GroupVersionKind) (simcluster.Reader, simcluster.Schema) {
	if s.definitions.Recognizes(kind) {
		d := definition{newTyped(s.definitions, kind)}
		return d, d
	}
	if scheme.Scheme.Recognizes(kind) {
		return newTyped(scheme.Scheme, kind), nil
	}
	return nil, nil
}

// CompareVersions implements simcluster.Schemas.
func (s *schemas) CompareVersions(a, b string) int {
	return version.CompareKubeAwareVersionStrings(b, a)
}

// typed reads objects of a Go type.
type typed struct {
	scheme *runtime.Scheme
	kind   schema.GroupVersionKind
	strict *jsonserializer.Serializer
}

func newTyped(s *runtime.Scheme, kind schema.GroupVersionKind) typed {
	return typed{s, kind, jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, s, s, jsonserializer.SerializerOptions{Strict: true})}
}

// Read implements simcluster.Reader.
func (t typed) Read(body []byte) (map[string]any, []string, error) {
	o, _, err := t.strict.Decode(body, &t.kind, nil)
	var problems []string
	if strict, ok := runtime.AsStrictDecodingError(err); ok && o != nil {
		problems = textsOf(strict.Errors())
	} else if err != nil {
		return nil, nil, err
	}
	t.scheme.Default(o)
	m, err := toMap(o)
	return m, problems, err
}

func textsOf(errs []error) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return texts
}

// warnings collects what a strategy warns of.
type warnings []string

// AddWarning implements warning.Recorder.
func (w *warnings) AddWarning(_, text string) { *w = append(*w, text) }

// strategy is what a kind does before its objects are stored.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// prepare completes and validates next, which is written over live, nil for a new object, as kube-apiserver does before it stores an object.
func prepare(create rest.RESTCreateStrategy, update rest.RESTUpdateStrategy, live, next runtime.Object) ([]string, error) {
	var texts warnings
	meta, ok := next.(metav1.Object)
	if !ok {
		return nil, fmt.Errorf("%T has no metadata", next)
	}
	ctx := warning.WithWarningRecorder(genericrequest.WithNamespace(context.Background(), meta.GetNamespace()), &texts)
	if live != nil {
		err := rest.BeforeUpdate(update, ctx, next, live)
		return texts, err
	}
	rest.FillObjectMetaSystemFields(meta)
	err := rest.BeforeCreate(create, ctx, next)
	return texts, err
}

// definition is the schema of CustomResourceDefinitions.
type definition struct{ typed }

// Write implements simcluster.Schema.
func (d definition) Write(live, next map[string]any, subresource string) (map[string]any, []string, error) {
	after, err := d.internal(next)
	if err != nil {
		return nil, nil, err
	}
	var before runtime.Object
	if live != nil {
		if before, err = d.internal(live); err != nil {
			return nil, nil, err
		}
	}
	create := customresourcedefinition.NewStrategy(d.scheme)
	var update rest.RESTUpdateStrategy = create
	if subresource == "status" {
		update = customresourcedefinition.NewStatusStrategy(d.scheme)
	}
	texts, err := prepare(create, update, before, after)
	if err != nil {
		return nil, texts, err
	}
	stored := &apiextensionsv1.CustomResourceDefinition{}
	if err := d.scheme.Convert(after, stored, nil); err != nil {
		return nil, texts, err
	}
	stored.SetGroupVersionKind(d.kind)
	m, err := toMap(stored)
	return m, texts, err
}

func (d definition) internal(m map[string]any) (runtime.Object, error) {
	crd, err := toDefinition(m)
	if err != nil {
		return nil, err
	}
	o := &apiextensions.CustomResourceDefinition{}
	return o, d.scheme.Convert(crd, o, nil)
}

func toDefinition(m map[string]any) (*apiextensionsv1.CustomResourceDefinition, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	return crd, kjson.UnmarshalCaseSensitivePreserveInts(text, crd)
}

// Store implements simcluster.Schema: there is one version.
func (definition) Store(m map[string]any) (map[string]any, error) { return m, nil }

// Load implements simcluster.Schema.
func (definition) Load(m map[string]any, _ simcluster.Schema) (map[string]any, error) { return m, nil }

// Columns implements simcluster.Schema: the cluster has its own.
func (definition) Columns() []metav1.TableColumnDefinition { return nil }

// Cells implements simcluster.Schema.
func (definition) Cells(map[string]any) []any { return nil }

// customVersion is the schema of a version of a custom resource.
type customVersion struct {
	apiVersion             string
	structural             *structuralschema.Structural
	growth                 *growth // of structural
	preservesUnknownFields bool
	versions               map[string]*customVersion // of the definition, by apiVersion
	storage                *customVersion            // the one that is stored
	main                   strategy
	status                 rest.RESTUpdateStrategy
	table                  rest.TableConvertor
}

// Custom implements simcluster.Schemas.
func (s *schemas) Custom(m map[string]any) (map[string]simcluster.Schema, error) {
	crd, err := toDefinition(m)
	if err != nil {
		return nil, err
	}
	versions := map[string]simcluster.Schema{}
	all := map[string]*customVersion{}
	var storage *customVersion
	for i := range crd.Spec.Versions {
		v, err := newCustomVersion(crd, &crd.Spec.Versions[i])
		if err != nil {
			return nil, fmt.Errorf("version %s: %w", crd.Spec.Versions[i].Name, err)
		}
		versions[crd.Spec.Versions[i].Name] = v
		all[v.apiVersion] = v
		if crd.Spec.Versions[i].Storage {
			storage = v
		}
	}
	for _, v := range all {
		v.versions, v.storage = all, storage
	}
	return versions, s.fields.define(crd)
}

// Forget implements simcluster.Schemas.
func (s *schemas) Forget(m map[string]any) {
	if crd, err := toDefinition(m); err == nil {
		s.fields.forget(kindOf(crd))
	}
}

func kindOf(crd *apiextensionsv1.CustomResourceDefinition) schema.GroupKind {
	return schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
}

func newCustomVersion(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) (*customVersion, error) {
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Status.AcceptedNames.Kind}
	c := &customVersion{apiVersion: kind.GroupVersion().String(), preservesUnknownFields: crd.Spec.PreserveUnknownFields}
	var props *apiextensions.JSONSchemaProps
	if v.Schema != nil {
		internal := &apiextensions.CustomResourceValidation{}
		if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, internal, nil); err != nil {
			return nil, err
		}
		if props = internal.OpenAPIV3Schema; props != nil {
			s, err := structuralschema.NewStructural(props)
			if err != nil {
				return nil, err
			}
			c.structural = s.DeepCopy() // its defaults are those of props
			if err := defaulting.PruneDefaults(c.structural); err != nil {
				return nil, err
			}
			c.growth = newGrowth(c.structural)
		}
	}
	whole, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	var ofStatus validation.SchemaValidator
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if sub := v.Subresources; sub != nil && sub.Status != nil {
		status = &apiextensions.CustomResourceSubresourceStatus{}
		if props != nil {
			if p, ok := props.Properties["status"]; ok {
				if ofStatus, _, err = validation.NewSchemaValidator(&p); err != nil {
					return nil, err
				}
			}
		}
	}
	if sub := v.Subresources; sub != nil && sub.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{SpecReplicasPath: sub.Scale.SpecReplicasPath,
			StatusReplicasPath: sub.Scale.StatusReplicasPath, LabelSelectorPath: sub.Scale.LabelSelectorPath}
	}
	main := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), crd.Spec.Scope == apiextensionsv1.NamespaceScoped, kind, whole, ofStatus,
		c.structural, status, scale, v.SelectableFields)
	c.main, c.status = main, customresource.NewStatusStrategy(main)
	columns := v.AdditionalPrinterColumns
	if len(columns) == 0 {
		columns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
			Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]}}
	}
	c.table, _ = tableconvertor.New(columns) // with an error it prints names, as kube-apiserver does
	return c, nil
}

// Read implements simcluster.Reader.
func (c *customVersion) Read(body []byte) (map[string]any, []string, error) {
	m := map[string]any{}
	twice, err := kjson.UnmarshalStrict(body, &m)
	if err != nil {
		return nil, nil, err
	}
	unknown, err := c.prune(m)
	if err != nil {
		return nil, nil, err
	}
	problems := textsOf(twice)
	for _, path := range unknown {
		problems = append(problems, fmt.Sprintf("unknown field %q", path))
	}
	return m, problems, c.setDefaults(m)
}

// prune drops the fields of an object that the schema does not know, and returns their paths.
//
// Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver.unstructuredSchemaCoercer (v0.37.2).
func (c *customVersion) prune(m map[string]any) ([]string, error) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(m, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	if !c.preservesUnknownFields {
		unknown = append(unknown, pruning.PruneWithOptions(m, c.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
		defaulting.PruneNonNullableNullsWithoutDefaults(m, c.structural)
	}
	wrong, paths := objectmeta.CoerceWithOptions(nil, m, c.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if wrong != nil {
		return nil, wrong
	}
	if found {
		err = objectmeta.SetObjectMeta(m, meta)
	}
	return append(unknown, paths...), err
}

// Write implements simcluster.Schema.
func (c *customVersion) Write(live, next map[string]any, subresource string) (map[string]any, []string, error) {
	after := &unstructured.Unstructured{Object: next}
	if err := utiljson.ConvertMapNumbers(next, 0); err != nil {
		return nil, nil, err
	}
	var before runtime.Object
	if live != nil {
		if err := utiljson.ConvertMapNumbers(live, 0); err != nil {
			return nil, nil, err
		}
		before = &unstructured.Unstructured{Object: live}
	}
	var update rest.RESTUpdateStrategy = c.main
	if subresource == "status" {
		update = c.status
	}
	texts, err := prepare(c.main, update, before, after)
	return after.Object, texts, err
}

// Store implements simcluster.Schema.
func (c *customVersion) Store(m map[string]any) (map[string]any, error) { return c.storage.adopt(m) }

// adopt makes an object of another version one of this version: it drops what this version does not know, and sets its defaults.
func (c *customVersion) adopt(m map[string]any) (map[string]any, error) {
	if err := utiljson.ConvertMapNumbers(m, 0); err != nil {
		return nil, err
	}
	m["apiVersion"] = c.apiVersion
	if _, err := c.prune(m); err != nil {
		return nil, err
	}
	return m, c.setDefaults(m)
}

// maxValues is how many values an object may have with its defaults. Those of kube-apiserver end at etcd's limit of 1.5 MiB.
const maxValues = 1 << 20

// setDefaults refuses an object that its defaults would make larger than any that can be stored: a default can be a list of objects that have defaults.
func (c *customVersion) setDefaults(m map[string]any) error {
	if c.growth.count(m) > maxValues {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("with the defaults of its schema the object has more than %d values", maxValues))
	}
	defaulting.Default(m, c.structural)
	return nil
}

// growth says how many values the defaults of a schema add. It is nil for a schema without defaults.
type growth struct {
	whenAbsent    int // values of the default, with the defaults within; 0 without
	properties    map[string]*growth
	items, others *growth
}

func newGrowth(s *structuralschema.Structural) *growth {
	if s == nil {
		return nil
	}
	g := &growth{properties: map[string]*growth{}, items: newGrowth(s.Items)}
	for name, p := range s.Properties {
		if of := newGrowth(&p); of != nil {
			g.properties[name] = of
		}
	}
	if s.AdditionalProperties != nil {
		g.others = newGrowth(s.AdditionalProperties.Structural)
	}
	if s.Default.Object != nil {
		g.whenAbsent = g.count(s.Default.Object)
	}
	if g.whenAbsent == 0 && g.items == nil && g.others == nil && len(g.properties) == 0 {
		return nil
	}
	return g
}

// count returns how many values x has with its defaults, or more than maxValues.
func (g *growth) count(x any) int {
	if g == nil {
		g = &growth{}
	}
	if x == nil && g.whenAbsent > 0 {
		return g.whenAbsent
	}
	n := 1
	switch x := x.(type) {
	case map[string]any:
		for name, p := range g.properties {
			if _, ok := x[name]; !ok {
				n += p.whenAbsent
			}
			if n > maxValues {
				return n
			}
		}
		for name, v := range x {
			of, ok := g.properties[name]
			if !ok {
				of = g.others
			}
			if n += of.count(v); n > maxValues {
				return n
			}
		}
	case []any:
		for _, v := range x {
			if n += g.items.count(v); n > maxValues {
				return n
			}
		}
	}
	return n
}

// Load implements simcluster.Schema. kube-apiserver sets the defaults of the version that was stored, and shows the fields that both versions know.
func (c *customVersion) Load(m map[string]any, stored simcluster.Schema) (map[string]any, error) {
	from := c.storage
	if s, ok := stored.(*customVersion); ok && c.versions[s.apiVersion] != nil {
		from = c.versions[s.apiVersion]
	}
	m, err := from.adopt(m)
	if err != nil || c == from {
		return m, err
	}
	m["apiVersion"] = c.apiVersion
	_, err = c.prune(m)
	return m, err
}

// Columns implements simcluster.Schema.
func (c *customVersion) Columns() []metav1.TableColumnDefinition {
	table := c.convert(map[string]any{"metadata": map[string]any{}})
	return table.ColumnDefinitions
}

// Cells implements simcluster.Schema.
func (c *customVersion) Cells(m map[string]any) []any {
	table := c.convert(m)
	if len(table.Rows) == 0 {
		return nil
	}
	return table.Rows[0].Cells
}

func (c *customVersion) convert(m map[string]any) *metav1.Table {
	if err := utiljson.ConvertMapNumbers(m, 0); err != nil {
		return &metav1.Table{}
	}
	table, err := c.table.ConvertToTable(context.Background(), &unstructured.Unstructured{Object: m}, nil)
	if err != nil {
		return &metav1.Table{}
	}
	return table
}
