package simapi

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kube-openapi/pkg/builder3/util"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"informerscope/core/simcluster"
)

// openAPI serves OpenAPI v3: what the cluster says of each group version, and the schemas of the types that client-go knows. The documents are made when
// the first request comes, and one of them when the cluster says something else of its group version. Its OpenAPI v2 has no schemas: kubectl asks for it
// before it writes a List, and leaves validation to the server where it finds none. openAPI is safe for concurrent use.
type openAPI struct {
	cluster *simcluster.Cluster
	fields  *fields        // has the documents of custom resources
	second  *http.ServeMux // serves v2

	mu        sync.Mutex
	service   *handler3.OpenAPIService
	documents map[string][]byte                              // of the cluster, by root
	customs   map[string]map[schema.GroupKind]*spec3.OpenAPI // that are in a root's document
}

func newOpenAPI(c *simcluster.Cluster, f *fields) *openAPI {
	second := http.NewServeMux()
	handler.NewOpenAPIService(&spec.Swagger{SwaggerProps: spec.SwaggerProps{Swagger: "2.0", Paths: &spec.Paths{},
		Info: &spec.Info{InfoProps: spec.InfoProps{Title: "Kubernetes", Version: "unversioned"}}}}).RegisterOpenAPIVersionedService("/openapi/v2", second)
	return &openAPI{cluster: c, fields: f, second: second, service: handler3.NewOpenAPIService(), documents: map[string][]byte{},
		customs: map[string]map[schema.GroupKind]*spec3.OpenAPI{}}
}

// serve answers a request for OpenAPI, and reports whether it was one.
func (a *openAPI) serve(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path == "/openapi/v2" && r.Method == http.MethodGet {
		a.second.ServeHTTP(w, r)
		return true
	}
	root, ok := strings.CutPrefix(r.URL.Path, "/openapi/v3")
	if !ok || r.Method != http.MethodGet {
		return false
	}
	root = strings.TrimPrefix(root, "/")
	if err := a.refresh(); err != nil {
		return false // the cluster's own documents do
	}
	if root == "" {
		a.service.HandleDiscovery(w, r)
		return true
	}
	a.mu.Lock()
	known := a.documents[root] != nil
	a.mu.Unlock()
	if known {
		a.service.HandleGroupVersion(w, r)
	}
	return known
}

// refresh makes the documents of what has changed in the cluster.
func (a *openAPI) refresh() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.cluster.OpenAPI()
	//maporder:free each has a document of its own
	for root := range a.documents {
		if now[root] == nil {
			a.service.DeleteGroupVersion(root)
			delete(a.documents, root)
			delete(a.customs, root)
		}
	}
	//maporder:free each has a document of its own
	for root, text := range now {
		of, err := schema.ParseGroupVersion(strings.TrimPrefix(root, "apis/"))
		if err != nil {
			return err
		}
		customs := a.fields.documents(of)
		if bytes.Equal(a.documents[root], text) && maps.Equal(a.customs[root], customs) {
			continue
		}
		document := new(spec3.OpenAPI)
		if err := document.UnmarshalJSON(text); err != nil {
			return err
		}
		if len(customs) == 0 {
			addSchemas(document)
		} else if document, err = builder.MergeSpecsV3(slices.Collect(maps.Values(customs))...); err != nil { // their group has no built-in kinds
			return err
		}
		a.service.UpdateGroupVersion(root, document)
		a.documents[root], a.customs[root] = text, customs
	}
	return nil
}

// kindsOf returns kinds as OpenAPI has them.
func kindsOf(all ...schema.GroupVersionKind) []any {
	slices.SortFunc(all, func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.String(), b.String()) })
	var out []any
	for _, k := range all {
		out = append(out, map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind})
	}
	return out
}

// addSchemas adds to a document the schemas of its built-in kinds, and what can be done with their objects.
func addSchemas(document *spec3.OpenAPI) {
	all := typeSchemas{}
	status, options, patch := all.add(reflect.TypeFor[metav1.Status]()), all.add(reflect.TypeFor[metav1.DeleteOptions]()), all.add(reflect.TypeFor[metav1.Patch]())
	//maporder:free each has paths of its own, and kinds that share a schema add the same one
	for path, item := range maps.Clone(document.Paths.Paths) {
		for _, base := range []*spec3.Operation{item.Patch, item.Post} {
			var kind schema.GroupVersionKind
			if base == nil || base.Extensions.GetObject(kindExtension, &kind) != nil || !known.Recognizes(kind) && kind != definitionKind {
				continue
			}
			addType := func(kind schema.GroupVersionKind) string { return all.add(known.AllKnownTypes()[kind]) }
			if kind == definitionKind {
				for name, s := range definitionModels() {
					all[name] = util.WrapRefs(s)
				}
				addType = func(kind schema.GroupVersionKind) string {
					return strings.TrimSuffix(apiextensionsv1.CustomResourceDefinition{}.OpenAPIModelName(), definitionKind.Kind) + kind.Kind
				}
			}
			object := addType(kind)
			operation := func(action, body, answer string, bodyForms ...string) *spec3.Operation {
				o := &spec3.Operation{OperationProps: spec3.OperationProps{Parameters: base.Parameters, Responses: responses(answer)}}
				if body != "" {
					o.RequestBody = &spec3.RequestBody{RequestBodyProps: spec3.RequestBodyProps{Content: content(body, bodyForms...)}}
				}
				o.AddExtension("x-kubernetes-action", action)
				o.AddExtension(kindExtension, kindsOf(kind)[0])
				return o
			}
			collection, named := strings.CutSuffix(path, "/{name}")
			above := &spec3.Path{PathProps: spec3.PathProps{Parameters: pathParameters(collection), Post: operation("post", object, object, anyForm)}}
			document.Paths.Paths[collection] = above
			if !named {
				continue
			}
			above.Get = operation("list", "", addType(kind.GroupVersion().WithKind(kind.Kind+"List")))
			above.Delete = operation("deletecollection", options, status, anyForm)
			document.Paths.Paths[path] = &spec3.Path{PathProps: spec3.PathProps{Parameters: pathParameters(path),
				Get: operation("get", "", object), Put: operation("put", object, object, anyForm), Delete: operation("delete", options, status, anyForm),
				Patch: operation("patch", patch, object, string(types.JSONPatchType), string(types.MergePatchType), string(types.StrategicMergePatchType),
					string(types.ApplyYAMLPatchType))}}
		}
	}
	if document.Components == nil {
		document.Components = &spec3.Components{Schemas: map[string]*spec.Schema{}}
	}
	maps.Copy(document.Components.Schemas, all)
}

const anyForm = "*/*"

// content is that of a body in some forms.
func content(name string, inForms ...string) map[string]*spec3.MediaType {
	out := map[string]*spec3.MediaType{}
	for _, form := range inForms {
		out[form] = &spec3.MediaType{MediaTypeProps: spec3.MediaTypeProps{
			Schema: &spec.Schema{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef(refPrefix + name)}}}}
	}
	return out
}

// responses has the one of success.
func responses(name string) *spec3.Responses {
	var in []string
	for _, f := range forms {
		in = append(in, f.MediaType)
	}
	return &spec3.Responses{ResponsesProps: spec3.ResponsesProps{StatusCodeResponses: map[int]*spec3.Response{
		http.StatusOK: {ResponseProps: spec3.ResponseProps{Description: "OK", Content: content(name, in...)}}}}}
}

// pathParameters are those that the path has in braces.
func pathParameters(path string) (out []*spec3.Parameter) {
	for _, name := range []string{"namespace", "name"} {
		if strings.Contains(path, "{"+name+"}") {
			out = append(out, &spec3.Parameter{ParameterProps: spec3.ParameterProps{Name: name, In: "path", Required: true,
				Schema: &spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"string"}}}}})
		}
	}
	return out
}
