package kubeapi

import (
	"strings"
	"testing"
)

const (
	asJSONPatch    = "application/json-patch+json"
	mapsURL        = "/api/v1/namespaces/default/configmaps"
	deploymentsURL = "/apis/apps/v1/namespaces/default/deployments"
	nodesURL       = "/api/v1/nodes"
)

// web is a Deployment with a container and its variables.
const web = `{"metadata":{"name":"web"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
	"spec":{"containers":[{"name":"web","image":"web:1","ports":[{"containerPort":80}],"env":[{"name":"LEVEL","value":"1"},{"name":"PORT","value":"80"}]}]}}}}`

// TestJSONPatch applies each operation of a JSON patch.
func TestJSONPatch(t *testing.T) {
	s := startWidgets(t)
	s.must("POST", mapsURL, asJSON, `{"metadata":{"name":"a"},"data":{"l":"1"}}`)
	a := s.must("PATCH", mapsURL+"/a", asJSONPatch, `[{"op":"test","path":"/data/l","value":"1"},{"op":"add","path":"/metadata/labels","value":{"a~b":"x"}},
		{"op":"copy","from":"/data/l","path":"/data/m"},{"op":"move","from":"/data/m","path":"/data/n"},{"op":"replace","path":"/data/l","value":"2"},
		{"op":"remove","path":"/metadata/labels/a~0b"}]`)
	if a.Get("data").Raw != `{"l":"2","n":"1"}` || a.Get("metadata.labels").Exists() {
		t.Errorf("%s", a.Raw)
	}
	s.must("POST", widgetsURL, asJSON, widget("w", `{"size":3}`))
	if a := s.must("PATCH", widgetsURL+"/w/scale", asJSONPatch, `[{"op":"replace","path":"/spec/replicas","value":4}]`); a.Get("spec.replicas").Int() != 4 {
		t.Errorf("the scale of a custom resource: %s", a.Raw)
	}
}

// TestStrategicMergePatch merges lists of built-in kinds by their keys.
func TestStrategicMergePatch(t *testing.T) {
	s := startWidgets(t)
	s.must("POST", deploymentsURL, asJSON, web)
	a := s.must("PATCH", deploymentsURL+"/web", asStrategic, `{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"extra"},{"name":"web"}],
		"containers":[{"name":"extra","image":"e"},{"name":"web","image":"web:2","env":[{"name":"LEVEL","$patch":"delete"}]}]}}}}`)
	containers := a.Get("spec.template.spec.containers")
	if containers.Get("#.name").Raw != `["extra","web"]` || containers.Get("1.image").String() != "web:2" || containers.Get("1.env.#.name").Raw != `["PORT"]` ||
		containers.Get("1.ports.0.containerPort").Int() != 80 || a.Get("metadata.generation").Int() != 2 {
		t.Errorf("%s", a.Raw)
	}
	// What the patch adds without an order comes before what only the object has.
	a = s.must("PATCH", deploymentsURL+"/web", asStrategic,
		`{"spec":{"template":{"spec":{"containers":[{"name":"first","image":"f"},{"name":"web","image":"web:3"}]}}}}`)
	if names := a.Get("spec.template.spec.containers.#.name").Raw; names != `["first","extra","web"]` {
		t.Errorf("the containers are %s", names)
	}
	if a := s.must("PATCH", deploymentsURL+"/web/scale", asStrategic, `{"spec":{"replicas":3}}`); a.Get("spec.replicas").Int() != 3 {
		t.Errorf("the scale is %s", a.Raw)
	}
	s.must("POST", nodesURL, asJSON, `{"metadata":{"name":"n"}}`)
	for _, taints := range []string{`[{"key":"a","effect":"NoSchedule"},{"key":"b","effect":"NoSchedule"}]`, `[{"key":"b","effect":"NoSchedule"}]`} {
		a := s.must("PATCH", nodesURL+"/n", asStrategic, `{"spec":{"taints":`+taints+`}}`)
		if got := a.Get("spec.taints.#").Int(); got != int64(strings.Count(taints, "key")) {
			t.Errorf("there are %d taints, want %s", got, taints)
		}
	}
}

// TestRefusalsOfPatches: a patch that does not fit is answered in kube-apiserver's words.
func TestRefusalsOfPatches(t *testing.T) {
	s := startWidgets(t)
	s.must("POST", deploymentsURL, asJSON, web)
	s.must("POST", widgetsURL, asJSON, widget("w", `{"size":3}`))
	const (
		url     = deploymentsURL + "/web"
		unfit   = "the server rejected our request due to an error in our request"
		formats = "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json"
	)
	for _, x := range []struct {
		name, url, form, body string
		code                  int
		says                  string
	}{
		{"no list", url, asJSONPatch, `{}`, 400, "error decoding patch: json: cannot unmarshal object"},
		{"no such path", url, asJSONPatch, `[{"op":"remove","path":"/spec/none"}]`, 422, unfit},
		{"no path", url, asJSONPatch, `[{"op":"remove"}]`, 422, unfit},
		{"no operation", url, asJSONPatch, `[null]`, 422, unfit},
		{"a test that fails", url, asJSONPatch, `[{"op":"test","path":"/kind","value":"X"}]`, 422, unfit},
		{"a root without a value", url, asJSONPatch, `[{"op":"replace","path":""}]`, 500, "the patch made the server panic"},
		{"a root that is a number", url, asJSONPatch, `[{"op":"replace","path":"","value":3}]`, 422, unfit},
		{"a root that is a list", url, asJSONPatch, `[{"op":"replace","path":"","value":[]}]`, 422, "patch: Invalid value"},
		{"no such index", url, asJSONPatch, `[{"op":"add","path":"/spec/template/spec/containers/99","value":{}}]`, 422, unfit},
		{"too many operations", url, asJSONPatch, "[" + strings.Repeat(`{"op":"test","path":"/a","value":1},`, maxPatchOps) + "{}]", 413,
			"The allowed maximum operations in a JSON patch is 10000, got 10001"},
		{"another name", url, asJSONPatch, `[{"op":"replace","path":"/metadata/name","value":"x"}]`, 400,
			"the name of the object (x) does not match the name on the URL (web)"},
		{"half a patch", url, asStrategic, `{"spec`, 400, "unexpected end of JSON input"},
		{"lists of the wrong type", url, asStrategic, `{"spec":{"template":{"spec":{"containers":[1,"a"]}}}}`, 500, "list element types are not identical"},
		{"a directive that there is not", url, asStrategic, `{"spec":{"$patch":"turn"}}`, 500, "unknown patch type: turn"},
		{"no such object", mapsURL + "/none", asStrategic, `{}`, 404, `configmaps "none" not found`},
		{"no patch", url, asJSON, `{}`, 415, "415: Unsupported Media Type"},
		{"an apply of a scale", widgetsURL + "/w/scale", asApply, `{}`, 415, formats},
		{"an apply of half an object", url + "?fieldManager=a", asApply, `7`, 400, "error decoding patch: json: cannot unmarshal number"},
		{"an apply without a kind", url + "?fieldManager=a", asApply, `{}`, 400, "invalid object type: /, Kind="},
		{"an apply of another kind", url + "?fieldManager=a", asApply, `{"apiVersion":"v1","kind":"Pod"}`, 400, "invalid object type: /v1, Kind=Pod"},
		{"an apply without a manager", url, asApply, `{}`, 422, "fieldManager: Required value: is required for apply patch"},
		{"an apply of another name", mapsURL + "/none?fieldManager=a", asApply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`, 400,
			"the name of the object (x) does not match the name on the URL (none)"},
		{"an apply of the status of no object", deploymentsURL + "/none/status?fieldManager=a", asApply, `{"apiVersion":"apps/v1","kind":"Deployment"}`, 404,
			`deployments.apps "none" not found`},
	} {
		t.Run(x.name, func(t *testing.T) {
			if a := s.ask("PATCH", x.url, x.form, x.body); a.code != x.code || !strings.Contains(a.Get("message").String(), x.says) {
				t.Errorf("got %d %.500s, want %d with %q", a.code, a.Raw, x.code, x.says)
			}
		})
	}
}
