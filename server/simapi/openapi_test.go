package simapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"
)

// TestSchemas reads every document with client-go. Each kind that has a type has a schema with descriptions, and each reference leads to one.
func TestSchemas(t *testing.T) {
	_, config := start(t)
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	root := openapi3.NewRoot(client.OpenAPIV3())
	all, err := root.GroupVersions()
	if err != nil || len(all) < 6 {
		t.Fatalf("%v, %v", all, err)
	}
	kinds := 0
	for _, gv := range all {
		document, err := root.GVSpec(gv)
		if err != nil {
			t.Fatalf("%s: %v", gv, err)
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), `"$ref":"`+refPrefix)[1:] {
			if name, _, _ := strings.Cut(part, `"`); document.Components.Schemas[name] == nil {
				t.Errorf("%s: no schema of %s", gv, name)
			}
		}
		if len(text) > 1<<20 {
			t.Errorf("%s: a document of %d bytes", gv, len(text))
		}
		described := map[schema.GroupVersionKind]bool{}
		for name, s := range document.Components.Schemas {
			var has []schema.GroupVersionKind
			if err := s.Extensions.GetObject(kindExtension, &has); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for _, k := range has {
				described[k] = s.Description != "" && len(s.Properties) > 1
			}
		}
		for path, item := range document.Paths.Paths {
			if item.Get == nil { // a review
				continue
			}
			var k schema.GroupVersionKind
			if err := item.Get.Extensions.GetObject(kindExtension, &k); err != nil || !described[k] {
				t.Errorf("%s has no schema of %s: %v", path, k, err)
			}
			kinds++
		}
	}
	if kinds < 16 {
		t.Errorf("%d paths can be read", kinds)
	}
}

// TestSchemaOfPods compares what openapi-gen makes of fields, by hand.
func TestSchemaOfPods(t *testing.T) {
	_, config := start(t)
	_, text := ask(t, config, "GET", "/openapi/v3/api/v1", "", "Accept", "application/json")
	pods := gjson.GetBytes(text, "components.schemas")
	at := func(name, path string) string {
		return pods.Get(strings.ReplaceAll("io.k8s."+name, ".", `\.`) + "." + path).Raw
	}
	for _, x := range [][3]string{
		{"api.core.v1.Pod", "x-kubernetes-group-version-kind", `[{"group":"","kind":"Pod","version":"v1"}]`},
		{"api.core.v1.Pod", "properties.spec.allOf.0", `{"$ref":"#/components/schemas/io.k8s.api.core.v1.PodSpec"}`},
		{"api.core.v1.Pod", "properties.spec.default", `{}`},
		{"api.core.v1.PodSpec", "required", `["containers"]`},
		{"api.core.v1.PodSpec", "properties.containers.x-kubernetes-patch-merge-key", `"name"`},
		{"api.core.v1.PodSpec", "properties.containers.x-kubernetes-patch-strategy", `"merge"`},
		{"api.core.v1.PodSpec", "properties.activeDeadlineSeconds.format", `"int64"`},
		{"api.core.v1.PodSpec", "properties.nodeSelector.additionalProperties", `{"type":"string","default":""}`},
		{"api.core.v1.ContainerPort", "required", `["containerPort"]`},
		{"api.core.v1.ContainerPort", "properties.name.description", `"If specified, this must be an IANA_SVC_NAME and unique within the pod. Each named port ` +
			`in a pod must have a unique name. Name for the port that can be referred to by services."`},
		{"api.core.v1.ContainerPort", "properties.containerPort.default", `0`},
		{"api.core.v1.ResourceRequirements", "properties.limits.additionalProperties",
			`{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}`},
		{"api.core.v1.ConfigMap", "properties.binaryData.additionalProperties", `{"type":"string","format":"byte"}`},
		{"apimachinery.pkg.api.resource.Quantity", "oneOf", `[{"type":"string"},{"type":"number"}]`},
		{"apimachinery.pkg.util.intstr.IntOrString", "format", `"int-or-string"`},
		{"apimachinery.pkg.apis.meta.v1.Time", "format", `"date-time"`},
		{"apimachinery.pkg.apis.meta.v1.FieldsV1", "type", `"object"`},
		{"apimachinery.pkg.apis.meta.v1.ObjectMeta", "properties.ownerReferences.x-kubernetes-patch-merge-key", `"uid"`},
	} {
		if got := at(x[0], x[1]); !sameText(got, x[2]) {
			t.Errorf("%s %s is %s, want %s", x[0], x[1], got, x[2])
		}
	}
	patch := gjson.GetBytes(text, `paths./api/v1/namespaces/{namespace}/pods/{name}.patch`)
	if patch.Get(`requestBody.content.application/strategic-merge-patch+json`).Raw == "" || !strings.Contains(patch.Get("parameters").Raw, "fieldValidation") {
		t.Errorf("the patch: %s", patch)
	}
}

// sameText compares two JSON texts.
func sameText(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	p, _ := json.Marshal(x) // what was JSON always marshals
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

// TestVersion2 reads OpenAPI v2 with client-go, as kubectl does before it writes a List.
func TestVersion2(t *testing.T) {
	_, config := start(t)
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if document, err := client.OpenAPISchema(); err != nil || document.GetSwagger() != "2.0" {
		t.Errorf("%v, %v", document, err)
	}
}

// TestHashes asks for documents as caches do, from many clients at once. A definition of a custom resource makes another index, and its end the first one.
func TestHashes(t *testing.T) {
	_, config := start(t)
	index := func() (urls map[string]string, tag string) {
		answer, text := ask(t, config, "GET", "/openapi/v3", "")
		urls = map[string]string{}
		gjson.GetBytes(text, "paths").ForEach(func(root, x gjson.Result) bool {
			urls[root.String()] = x.Get("serverRelativeURL").String()
			return true
		})
		return urls, answer.Header.Get("Etag")
	}
	urls, tag := index()
	apps := urls["apis/apps/v1"]
	if !strings.HasPrefix(apps, "/openapi/v3/apis/apps/v1?hash=") {
		t.Fatalf("the index has %s", apps)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			answer, text := ask(t, config, "GET", apps, "", "Accept", "application/json")
			if answer.StatusCode != http.StatusOK || !gjson.ValidBytes(text) || !strings.Contains(answer.Header.Get("Cache-Control"), "immutable") ||
				!strings.Contains(apps, strings.Trim(answer.Header.Get("Etag"), `"`)) {
				t.Errorf("%s: %s, %v", apps, answer.Status, answer.Header)
			}
		})
	}
	all.Wait()
	for _, x := range []struct {
		path, header, value string
		code                int
	}{
		{apps, "If-None-Match", `"` + apps[strings.Index(apps, "=")+1:] + `"`, http.StatusNotModified},
		{"/openapi/v3/apis/apps/v1?hash=old", "Accept", "application/json", http.StatusOK}, // after a redirect
		{"/openapi/v3/apis/apps/v1", "Accept", "application/com.github.proto-openapi.spec.v3.v1.0+protobuf", http.StatusOK},
		{"/openapi/v3/apis/apps/v1", "Accept", "text/html", http.StatusNotAcceptable},
		{"/openapi/v3/apis/none/v1", "Accept", "", http.StatusNotFound},
		{"/openapi/v3/" + strings.Repeat("a/", 1000), "Accept", "", http.StatusNotFound},
		{"/openapi/v2", "Accept", "text/html", http.StatusNotAcceptable},
		{"/openapi/v2/", "Accept", "", http.StatusNotFound},
	} {
		if answer, _ := ask(t, config, "GET", x.path, "", x.header, x.value); answer.StatusCode != x.code {
			t.Errorf("%.60s with %s: %s, want %d", x.path, x.value, answer.Status, x.code)
		}
	}
	if answer, _ := ask(t, config, "POST", "/openapi/v3", "{}"); answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", answer.Status)
	}
	ask(t, config, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", plainWidgets, "Content-Type", "application/json")
	more, other := index()
	if tag == other || more["apis/example.com/v1"] == "" || more["apis/apps/v1"] != apps {
		t.Errorf("with widgets the index is %v, %s", more, other)
	}
	_, text := ask(t, config, "GET", "/openapi/v3/apis/example.com/v1", "")
	if kind := gjson.GetBytes(text, `components.schemas.com\.example\.v1\.Widget.x-kubernetes-group-version-kind.0.kind`).String(); kind != "Widget" {
		t.Errorf("the document of widgets has the kind %q", kind)
	}
	ask(t, config, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", "")
	if _, last := index(); last != tag {
		t.Errorf("without widgets the tag is %s, want %s", last, tag)
	}
}
