package simapi

import (
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const (
	kindExtension = "x-kubernetes-group-version-kind"
	refPrefix     = "#/components/schemas/"
)

// patchExtensions are those of struct tags.
var patchExtensions = map[string]string{"patchStrategy": "x-kubernetes-patch-strategy", "patchMergeKey": "x-kubernetes-patch-merge-key"}

// typeSchemas collects the OpenAPI v3 schemas of Go types, by name. They have what reflection finds: names and types of fields, the descriptions of SwaggerDoc,
// which fields are required, and how a patch merges lists. Markers in comments, such as enumerations and list types, are not in the program.
//
// Mirrors k8s.io/kube-openapi/cmd/openapi-gen in what it makes of a type.
type typeSchemas map[string]*spec.Schema

// add adds the schema of a type that has a name, and of all that it contains, and returns the name.
func (s typeSchemas) add(t reflect.Type) string {
	name := reflect.Zero(t).Interface().(interface{ OpenAPIModelName() string }).OpenAPIModelName()
	if s[name] == nil {
		s[name] = new(spec.Schema) // before its fields, which may contain the type again
		*s[name] = s.define(t)
	}
	return name
}

// scalar is a struct that is a scalar in JSON.
type scalar interface {
	OpenAPISchemaType() []string
	OpenAPISchemaFormat() string
}

// define returns the schema of a struct.
func (s typeSchemas) define(t reflect.Type) (out spec.Schema) {
	docs := docsOf(t)
	out.Description = docs[""]
	value := reflect.Zero(t).Interface()
	if x, ok := value.(scalar); ok {
		out.Format, out.Type = x.OpenAPISchemaFormat(), x.OpenAPISchemaType()
		if union, ok := value.(interface{ OpenAPIV3OneOfTypes() []string }); ok {
			out.Type = nil
			for _, one := range union.OpenAPIV3OneOfTypes() {
				out.OneOf = append(out.OneOf, spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{one}}})
			}
		}
		return out
	}
	out.Type = []string{"object"}
	if t == reflect.TypeFor[metav1.FieldsV1]() || t == reflect.TypeFor[runtime.RawExtension]() { // any JSON
		return out
	}
	s.addFields(&out, t, docs)
	if o, ok := reflect.New(t).Interface().(runtime.Object); ok {
		if kinds, _, err := known.ObjectKinds(o); err == nil {
			out.AddExtension(kindExtension, kindsOf(kinds...))
		}
	}
	return out
}

// addFields adds the fields of a struct, and those of the structs that are inline in it.
func (s typeSchemas) addFields(out *spec.Schema, t reflect.Type, docs map[string]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			s.addFields(out, f.Type, docsOf(f.Type))
			continue
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		field := s.refer(f.Type, !optional)
		if ref := field.Ref; ref.String() != "" { // a description beside a reference would not count
			field = spec.Schema{SchemaProps: spec.SchemaProps{AllOf: []spec.Schema{field}}}
		}
		field.Description = docs[name]
		//maporder:free each is a key of a map
		for tag, extension := range patchExtensions {
			if value := f.Tag.Get(tag); value != "" {
				field.AddExtension(extension, value)
			}
		}
		out.SetProperty(name, field)
		if !optional {
			out.AddRequired(name)
		}
	}
}

// refer returns the schema of a value of a type: a reference, if the type has a name. hasDefault says whether its zero value is its default; that of a struct
// always is.
func (s typeSchemas) refer(t reflect.Type, hasDefault bool) (out spec.Schema) {
	simple := func(name, format string) {
		out.Type, out.Format = []string{name}, format
		if hasDefault {
			out.Default = reflect.Zero(t).Interface()
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() != reflect.Struct {
			return s.refer(t.Elem(), false)
		}
		out.Ref = spec.MustCreateRef(refPrefix + s.add(t.Elem()))
	case reflect.Struct:
		ref := spec.Schema{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef(refPrefix + s.add(t))}}
		if s.isScalar(t) {
			return ref
		}
		out.AllOf, out.Default = []spec.Schema{ref}, map[string]any{}
	case reflect.Map:
		value := s.refer(t.Elem(), true)
		out.Type, out.AdditionalProperties = []string{"object"}, &spec.SchemaOrBool{Allows: true, Schema: &value}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			out.Type, out.Format = []string{"string"}, "byte"
			return out
		}
		item := s.refer(t.Elem(), true)
		out.Type, out.Items = []string{"array"}, &spec.SchemaOrArray{Schema: &item}
	case reflect.Bool:
		simple("boolean", "")
	case reflect.Int32, reflect.Int64:
		simple("integer", t.Kind().String())
	case reflect.Int, reflect.Uint32, reflect.Uint64:
		simple("integer", "int64")
	case reflect.Float64:
		simple("number", "double")
	default:
		simple("string", "")
	}
	return out
}

func (s typeSchemas) isScalar(t reflect.Type) bool { return t.Implements(reflect.TypeFor[scalar]()) }

// docsOf returns the descriptions of a type, under "", and of its fields.
func docsOf(t reflect.Type) map[string]string {
	if d, ok := reflect.Zero(t).Interface().(interface{ SwaggerDoc() map[string]string }); ok {
		return d.SwaggerDoc()
	}
	return nil
}
