package kubeapi

import (
	"context"
	"encoding/json"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
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
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/version"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	"informerscope/core/cluster/simcluster"
)

// kubeTypes implements simcluster.Types with the strategies and schemas of kube-apiserver. It is safe for concurrent use.
type kubeTypes struct {
	definitions *runtime.Scheme // has CustomResourceDefinition
}

func newTypes() *kubeTypes {
	t := &kubeTypes{runtime.NewScheme()}
	install.Install(t.definitions)
	return t
}

// Kinds implements simcluster.Types.
func (*kubeTypes) Kinds() []simcluster.Kind { return kinds }

// BuiltIn implements simcluster.Types.
func (t *kubeTypes) BuiltIn(kind schema.GroupVersionKind) simcluster.Schema {
	if kind == definitionKind {
		return &definition{newTyped(t.definitions, kind, definitionTypes())}
	}
	return newTyped(scheme.Scheme, kind, builtInTypes())
}

// typed is the schema of a Go type.
type typed struct {
	*fields
	scheme *runtime.Scheme
	strict *jsonserializer.Serializer
}

func newTyped(s *runtime.Scheme, kind schema.GroupVersionKind, types managedfields.TypeConverter) *typed {
	return &typed{newFields(kind, types, false, true), s,
		jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, s, s, jsonserializer.SerializerOptions{Strict: true})}
}

// Read implements simcluster.Schema.
func (t *typed) Read(body []byte) (map[string]any, []string, error) {
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

// Deprecation implements simcluster.Schema.
func (*typed) Deprecation() []string { return nil }

// Write implements simcluster.Schema.
func (t *typed) Write(live, next map[string]any, _ string) (map[string]any, []string, error) {
	after, err := metadataOf(next)
	if err != nil {
		return nil, nil, err
	}
	path := field.NewPath("metadata")
	var wrong field.ErrorList
	if live == nil {
		wrong = apivalidation.ValidateObjectMeta(after, after.Namespace != "", t.checkName, path)
	} else {
		before, err := metadataOf(live)
		if err != nil {
			return nil, nil, err
		}
		wrong = apivalidation.ValidateObjectMetaUpdate(after, before, path)
	}
	if len(wrong) > 0 {
		return nil, nil, apierrors.NewInvalid(t.kind.GroupKind(), after.Name, wrong)
	}
	return next, nil, nil
}

// metadataOf returns the metadata of an object, but not its managedFields, of which the field managers keep what is valid.
func metadataOf(m map[string]any) (*metav1.ObjectMeta, error) {
	text, err := json.Marshal(m["metadata"])
	if err != nil {
		return nil, err
	}
	meta := &metav1.ObjectMeta{}
	if err := json.Unmarshal(text, meta); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	meta.ManagedFields = nil
	return meta, nil
}

// checkName says what is wrong with a name, or with the beginning of one.
func (t *typed) checkName(name string, isPrefix bool) []string {
	switch {
	case t.kind.Kind == "Namespace":
		return apivalidation.ValidateNamespaceName(name, isPrefix)
	case t.kind.Kind == "Service" && t.kind.Group == "":
		return apivalidation.NameIsDNSLabel(name, isPrefix)
	case t.kind.Group == rbacv1.GroupName && isPrefix:
		return path.IsValidPathSegmentPrefix(name)
	case t.kind.Group == rbacv1.GroupName:
		return path.IsValidPathSegmentName(name)
	}
	return apivalidation.NameIsDNSSubdomain(name, isPrefix)
}

// eventNames are what Events name differently: those of the core group, which are stored, and those of events.k8s.io.
var eventNames = [][2]string{{"involvedObject", "regarding"}, {"message", "note"}, {"reportingComponent", "reportingController"},
	{"source", "deprecatedSource"},
	{"firstTimestamp", "deprecatedFirstTimestamp"}, {"lastTimestamp", "deprecatedLastTimestamp"}, {"count", "deprecatedCount"}}

// Store implements simcluster.Schema. Of built-in kinds Events alone have two versions.
func (t *typed) Store(m map[string]any) (map[string]any, error) {
	for _, names := range eventNames {
		rename(m, names[1], names[0])
	}
	m["apiVersion"] = "v1"
	return m, nil
}

// Load implements simcluster.Schema.
func (t *typed) Load(m map[string]any, _ simcluster.Schema) (map[string]any, error) {
	for _, names := range eventNames {
		rename(m, names[0], names[1])
	}
	m["apiVersion"] = t.kind.GroupVersion().String()
	return m, nil
}

func rename(m map[string]any, from, to string) {
	if v, ok := m[from]; ok {
		m[to] = v
		delete(m, from)
	}
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
type definition struct{ *typed }

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

// customVersion is the schema of a version of a custom resource.
type customVersion struct {
	*fields
	apiVersion             string
	deprecation            []string
	structural             *structuralschema.Structural
	growth                 *growth // of structural
	preservesUnknownFields bool
	versions               map[string]*customVersion // of the definition, by apiVersion
	storage                *customVersion            // the one that is stored
	main                   strategy
	status                 rest.RESTUpdateStrategy
}

// Custom implements simcluster.Types.
func (*kubeTypes) Custom(m map[string]any) (map[string]simcluster.Schema, error) {
	crd, err := toDefinition(m)
	if err != nil {
		return nil, err
	}
	fieldTypes, err := customTypes(crd)
	if err != nil {
		return nil, err
	}
	versions := map[string]simcluster.Schema{}
	all := map[string]*customVersion{}
	var storage *customVersion
	for i := range crd.Spec.Versions {
		v, err := newCustomVersion(crd, &crd.Spec.Versions[i], fieldTypes)
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
	return versions, nil
}

func newCustomVersion(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion,
	types managedfields.TypeConverter) (*customVersion, error) {
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Status.AcceptedNames.Kind}
	ownStatus := v.Subresources != nil && v.Subresources.Status != nil
	c := &customVersion{fields: newFields(kind, types, true, ownStatus), deprecation: deprecationOf(crd, v),
		apiVersion: kind.GroupVersion().String(), preservesUnknownFields: crd.Spec.PreserveUnknownFields}
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
	return c, nil
}

// deprecationOf returns what kube-apiserver warns of when a deprecated version is used.
//
// Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver.defaultDeprecationWarning (v0.37.2).
func deprecationOf(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion) []string {
	if !v.Deprecated {
		return nil
	}
	if v.DeprecationWarning != nil {
		return []string{*v.DeprecationWarning}
	}
	best := v.Name
	for _, other := range crd.Spec.Versions {
		if other.Served && !other.Deprecated && version.CompareKubeAwareVersionStrings(other.Name, best) > 0 {
			best = other.Name
		}
	}
	kind := crd.Status.AcceptedNames.Kind
	text := fmt.Sprintf("%s/%s %s is deprecated", crd.Spec.Group, v.Name, kind)
	if best != v.Name {
		text += fmt.Sprintf("; use %s/%s %s", crd.Spec.Group, best, kind)
	}
	return []string{text}
}

// Deprecation implements simcluster.Schema.
func (c *customVersion) Deprecation() []string { return c.deprecation }

// Admit implements simcluster.Schema.
func (*customVersion) Admit(map[string]any, bool) {}

// Read implements simcluster.Schema.
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
		if member := newGrowth(&p); member != nil {
			g.properties[name] = member
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
			member, ok := g.properties[name]
			if !ok {
				member = g.others
			}
			if n += member.count(v); n > maxValues {
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
	source := c.storage
	if s, ok := stored.(*customVersion); ok && c.versions[s.apiVersion] != nil {
		source = c.versions[s.apiVersion]
	}
	m, err := source.adopt(m)
	if err != nil || c == source {
		return m, err
	}
	m["apiVersion"] = c.apiVersion
	_, err = c.prune(m)
	return m, err
}
