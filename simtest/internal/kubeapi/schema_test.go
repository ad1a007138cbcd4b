package kubeapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"k8s.io/client-go/rest"
)

const (
	definitionsURL = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	widgetsURL     = "/apis/stage.example.com/v1/namespaces/default/widgets"
	oldWidgetsURL  = "/apis/stage.example.com/v1beta1/namespaces/default/widgets"

	asJSON      = "application/json"
	asMerge     = "application/merge-patch+json"
	asStrategic = "application/strategic-merge-patch+json"
	asApply     = "application/apply-patch+yaml"
)

// widgets has two served versions and one that is not, and all that a schema can ask of an object.
const widgets = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.stage.example.com"},
"spec":{"group":"stage.example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget","shortNames":["wd"]},"versions":[
{"name":"v1","served":true,"storage":true,
 "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},
 "additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size","description":"how big"},
  {"name":"Parts","type":"string","jsonPath":".spec.parts[*].id","priority":1},{"name":"Color","type":"string","jsonPath":".spec.color"}],
 "schema":{"openAPIV3Schema":{"type":"object","properties":{
  "spec":{"type":"object","required":["size"],"properties":{
   "size":{"type":"integer","minimum":1,"maximum":10},"color":{"type":"string","enum":["red","green"],"default":"red"},
   "name":{"type":"string","pattern":"^[a-z]+$","maxLength":5},"when":{"type":"string","format":"date-time"},
   "parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id"],"items":{"type":"object","required":["id"],
    "properties":{"id":{"type":"string"},"n":{"type":"integer","default":7}}}},
   "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
   "pod":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
   "low":{"type":"integer"},"high":{"type":"integer"},
   "fixed":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf","message":"fixed is immutable"}]}},
   "x-kubernetes-validations":[{"rule":"!has(self.low) || !has(self.high) || self.low <= self.high","message":"low must not be above high"}]},
  "status":{"type":"object","properties":{"replicas":{"type":"integer","minimum":0},"selector":{"type":"string"},"phase":{"type":"string"}}}}}}},
{"name":"v1beta1","served":true,"storage":false,"deprecated":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
  "spec":{"type":"object","properties":{"size":{"type":"integer"},"color":{"type":"string"},"old":{"type":"string","default":"x"}}}}}}},
{"name":"v1alpha1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

// server is an API server under test.
type server struct {
	t      *testing.T
	client *http.Client
	url    string
}

// startWidgets starts a server that serves widgets.
func startWidgets(t *testing.T) *server {
	t.Helper()
	_, config := start(t)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t, client, config.Host}
	s.must("POST", definitionsURL, asJSON, widgets)
	return s
}

// jsonAnswer is what a server says.
type jsonAnswer struct {
	gjson.Result
	code     int
	warnings []string
}

func (s *server) ask(method, path, form, body string) jsonAnswer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("User-Agent", "tester/1")
	r.Header.Set("Content-Type", form)
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return jsonAnswer{gjson.ParseBytes(text), resp.StatusCode, resp.Header.Values("Warning")}
}

func (s *server) must(method, path, form, body string) jsonAnswer {
	s.t.Helper()
	a := s.ask(method, path, form, body)
	if a.code >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, a.code, a.Raw)
	}
	return a
}

// widget is a Widget of v1 with this spec.
func widget(name, spec string) string {
	return `{"apiVersion":"stage.example.com/v1","kind":"Widget","metadata":{"name":"` + name + `"},"spec":` + spec + `}`
}

// TestRefusalsOfCustomResources: the answers are those that kube-apiserver 1.36.3 gave to the same requests.
func TestRefusalsOfCustomResources(t *testing.T) {
	s := startWidgets(t)
	s.must("POST", widgetsURL, asJSON, widget("a", `{"size":3,"fixed":"one"}`))
	const unchecked = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors " +
		"to complete validation"
	const invalid = `Widget.stage.example.com "b" is invalid: `
	for _, x := range []struct {
		name, method, path, form, body string
		code                           int
		says                           string
	}{
		{"a number too large", "POST", widgetsURL, asJSON, widget("b", `{"size":30}`), 422,
			invalid + "spec.size: Invalid value: 30: spec.size in body should be less than or equal to 10"},
		{"no value of an enum", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"color":"blue"}`), 422,
			invalid + `[spec.color: Unsupported value: "blue": supported values: "red", "green", ` + unchecked + `]`},
		{"a pattern", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"name":"A"}`), 422,
			invalid + `spec.name: Invalid value: "A": spec.name in body should match '^[a-z]+$'`},
		{"too long", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"name":"abcdef"}`), 422,
			invalid + `[spec.name: Too long: may not be more than 5 bytes, ` + unchecked + `]`},
		{"a format", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"when":"x"}`), 422,
			invalid + `[spec.when: Invalid value: "x": spec.when in body must be of type date-time: "x", ` + unchecked + `]`},
		{"no required field", "POST", widgetsURL, asJSON, widget("b", `{}`), 422, invalid + "[spec.size: Required value, " + unchecked + "]"},
		{"another type", "POST", widgetsURL, asJSON, widget("b", `"x"`), 422, invalid + `[spec: Invalid value: "string": spec in body must be of type object: ` +
			`"string", .spec.size: Invalid value: 0: .spec.size accessor error: x is of the type string, expected map[string]interface{}, ` + unchecked + `]`},
		{"a rule", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"low":5,"high":2}`), 422, invalid + "spec: Invalid value: low must not be above high"},
		{"a key twice", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"parts":[{"id":"a"},{"id":"a"}]}`), 422,
			invalid + `spec.parts[1]: Duplicate value: {"id":"a"}`},
		{"an embedded resource", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"pod":{"metadata":{"name":"b"}}}`), 422,
			invalid + "[spec.pod.apiVersion: Required value, spec.pod.kind: Required value, " + unchecked + "]"},
		{"a label that is no string", "POST", widgetsURL, asJSON, `{"apiVersion":"stage.example.com/v1","kind":"Widget","metadata":{"name":"b","labels":{"a":1}}}`, 400,
			`Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`},
		{"another kind", "POST", widgetsURL, asJSON, strings.Replace(widget("b", `{"size":1}`), `"Widget"`, `"Gadget"`, 1), 422,
			`Gadget.stage.example.com "b" is invalid: kind: Invalid value: "Gadget": must be Widget`},
		{"no kind", "POST", widgetsURL, asJSON, `{"metadata": {"name": "b"}, "spec": {"size": 1}}`, 400, `the object provided is unrecognized (must be of type ` +
			`Widget): Object 'Kind' is missing in '{"metadata": {"name": "b"}, "spec": {"size": 1}}' ({"metadata": {"name": "b"}, "s ...)`},
		{"another version", "POST", widgetsURL, asJSON, strings.Replace(widget("b", `{"size":1}`), "/v1", "/v1beta1", 1), 400,
			"the API version in the data (stage.example.com/v1beta1) does not match the expected API version (stage.example.com/v1)"},
		{"an update without a version", "PUT", widgetsURL + "/a", asJSON, widget("a", `{"size":1}`), 422,
			`widgets.stage.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"a transition rule", "PATCH", widgetsURL + "/a", asMerge, `{"spec":{"fixed":"two"}}`, 422,
			`Widget.stage.example.com "a" is invalid: spec.fixed: Invalid value: "two": fixed is immutable`},
		{"a patch", "PATCH", widgetsURL + "/a", asMerge, `{"spec":{"size":50}}`, 422,
			`Widget.stage.example.com "a" is invalid: spec.size: Invalid value: 50: spec.size in body should be less than or equal to 10`},
		{"a status", "PATCH", widgetsURL + "/a/status", asMerge, `{"status":{"replicas":-1}}`, 422, `Widget.stage.example.com "a" is invalid: [status.replicas: ` +
			`Invalid value: -1: replicas in body should be greater than or equal to 0, .status.replicas: Invalid value: -1: should be a non-negative integer]`},
		{"an apply", "PATCH", widgetsURL + "/a?fieldManager=x&force=true", asApply, widget("a", `{"size":60}`), 422,
			`Widget.stage.example.com "a" is invalid: spec.size: Invalid value: 60: spec.size in body should be less than or equal to 10`},
		{"an apply of an unknown field", "PATCH", widgetsURL + "/a?fieldManager=x", asApply, widget("a", `{"bogus":1}`), 500,
			"failed to create typed patch object (/a; stage.example.com/v1, Kind=Widget): .spec.bogus: field not declared in schema"},
		{"a strategic patch", "PATCH", widgetsURL + "/a", asStrategic, `{}`, 415, "the body of the request was in an unknown format - accepted media types include: " +
			"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"},
		{"a scale", "PATCH", widgetsURL + "/a/scale", asMerge, `{"spec":{"replicas":-1}}`, 422, `Widget.stage.example.com "a" is invalid: [spec.size: Invalid ` +
			`value: -1: spec.size in body should be greater than or equal to 1, .spec.size: Invalid value: -1: should be a non-negative integer]`},
		{"no scale in this version", "GET", oldWidgetsURL + "/a/scale", asJSON, "", 404, `widgets.stage.example.com "a" not found`},
	} {
		t.Run(x.name, func(t *testing.T) {
			a := s.ask(x.method, x.path, x.form, x.body)
			if a.code != x.code || a.Get("message").String() != x.says || a.Get("kind").String() != "Status" {
				t.Errorf("got %d %s\nwant %d %s", a.code, a.Raw, x.code, x.says)
			}
			if x.code != 422 {
				return
			}
			// The message has the causes, in their order.
			var texts []string
			for _, c := range a.Get("details.causes").Array() {
				texts = append(texts, c.Get("field").String()+": "+c.Get("message").String())
			}
			if a.Get("reason").String() != "Invalid" || !strings.Contains(x.says, strings.Join(texts, ", ")) || len(texts) == 0 {
				t.Errorf("the causes are %q of %s", texts, a.Raw)
			}
		})
	}
	if n := s.must("GET", widgetsURL, asJSON, "").Get("items.#").Int(); n != 1 {
		t.Errorf("there are %d widgets", n)
	}
}

// TestWhatASchemaMakesOfAnObject: unknown fields and nulls go, defaults come, and a status is not written with an object.
func TestWhatASchemaMakesOfAnObject(t *testing.T) {
	s := startWidgets(t)
	for _, x := range []struct{ name, spec, want string }{
		{"defaults", `{"size":1,"parts":[{"id":"p"},{"id":"q","n":1}]}`, `{"color":"red","parts":[{"id":"p","n":7},{"id":"q","n":1}],"size":1}`},
		{"unknown fields", `{"size":1,"bogus":{"a":[1]},"parts":[{"id":"p","n":1,"x":2}]}`, `{"color":"red","parts":[{"id":"p","n":1}],"size":1}`},
		{"what is kept", `{"size":1,"free":{"a":{"b":1.5}}}`, `{"color":"red","free":{"a":{"b":1.5}},"size":1}`},
		{"nulls", `{"size":1,"color":null,"name":null}`, `{"color":"red","size":1}`},
		{"an embedded resource", `{"size":1,"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","zap":1},"x":{"y":1}}}`,
			`{"color":"red","pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"x":{"y":1}},"size":1}`},
	} {
		t.Run(x.name, func(t *testing.T) {
			body := strings.TrimSuffix(widget(strings.ReplaceAll(x.name, " ", "-"), x.spec), "}") + `,"status":{"phase":"x"},"extra":1}`
			made := s.must("POST", widgetsURL+"?fieldValidation=Ignore", asJSON, body)
			read := s.must("GET", widgetsURL+"/"+made.Get("metadata.name").String(), asJSON, "")
			for _, a := range []jsonAnswer{made, read} {
				if a.Get("spec").Raw != x.want || a.Get("status").Exists() || a.Get("extra").Exists() || a.Get("metadata.generation").Int() != 1 ||
					len(a.warnings) > 0 {
					t.Errorf("got %s with %q, want %s", a.Raw, a.warnings, x.want)
				}
			}
		})
	}
}

// TestFieldValidation sends fields that no type knows, and fields that are there twice, to built-in and custom resources.
func TestFieldValidation(t *testing.T) {
	s := startWidgets(t)
	const maps = "/api/v1/namespaces/default/configmaps"
	s.must("POST", maps, asJSON, `{"metadata":{"name":"m"},"data":{"a":"b"}}`)
	s.must("POST", widgetsURL, asJSON, widget("a", `{"size":3}`))
	unknownWidget := strings.Replace(widget("b", `{"size":1,"bogus":1}`), `"name":"b"`, `"name":"b","zap":1`, 1)
	for _, x := range []struct {
		name, method, path, form, body string
		problems                       []string
		code                           int
		strict                         string
	}{
		{"custom", "POST", widgetsURL, asJSON, unknownWidget, []string{`unknown field "metadata.zap"`, `unknown field "spec.bogus"`}, 400,
			`Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "metadata.zap", unknown field "spec.bogus"`},
		{"custom twice", "POST", widgetsURL, asJSON, widget("b", `{"size":1,"size":2}`), []string{`duplicate field "spec.size"`}, 400,
			`Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.size"`},
		{"custom patch", "PATCH", widgetsURL + "/a", asMerge, `{"spec":{"bogus":1}}`, []string{`unknown field "spec.bogus"`}, 422,
			`strict decoding error: unknown field "spec.bogus"`},
		{"custom status", "PATCH", widgetsURL + "/a/status", asMerge, `{"status":{"bogus":1}}`, []string{`unknown field "status.bogus"`}, 422,
			`strict decoding error: unknown field "status.bogus"`},
		{"built-in", "POST", maps, asJSON, `{"metadata":{"name":"n","bogus":1},"daat":{"a":"b"}}`,
			[]string{`unknown field "metadata.bogus"`, `unknown field "daat"`}, 400,
			`ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.bogus", unknown field "daat"`},
		{"built-in twice", "POST", maps, asJSON, `{"metadata":{"name":"n"},"data":{"a":"b","a":"c"}}`, []string{`duplicate field "data.a"`}, 400,
			`ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"`},
		{"built-in patch", "PATCH", maps + "/m", asStrategic, `{"daat":{"a":"b"}}`, []string{`unknown field "daat"`}, 422,
			` "" is invalid: patch: Invalid value: "map[daat:map[a:b]]": strict decoding error: unknown field "daat"`},
		{"definition", "POST", definitionsURL, asJSON, strings.NewReplacer("widgets", "wodgets", "Widget", "Wodget", `"wd"`, "", `"scope"`, `"bogus":1,"scope"`).
			Replace(widgets), []string{`unknown field "spec.bogus"`}, 400,
			`CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: strict decoding error: unknown field "spec.bogus"`},
	} {
		t.Run(x.name, func(t *testing.T) {
			if a := s.ask(x.method, x.path+"?dryRun=All&fieldValidation=Strict", x.form, x.body); a.code != x.code ||
				!strings.HasSuffix(a.Get("message").String(), x.strict) {
				t.Errorf("strict: got %d %s", a.code, a.Raw)
			}
			var warnings []string
			for _, p := range x.problems {
				warnings = append(warnings, "299 - "+string(mustMarshal(p)))
			}
			for _, mode := range []string{"", "&fieldValidation=Warn"} {
				a := s.ask(x.method, x.path+"?dryRun=All"+mode, x.form, x.body)
				if a.code >= 300 || !slices.Equal(a.warnings, warnings) || strings.Contains(a.Raw, "bogus") || strings.Contains(a.Raw, "daat") {
					t.Errorf("%s: got %d %q %s, want %q", mode, a.code, a.warnings, a.Raw, warnings)
				}
			}
			if a := s.ask(x.method, x.path+"?dryRun=All&fieldValidation=Ignore", x.form, x.body); a.code >= 300 || len(a.warnings) > 0 {
				t.Errorf("ignore: got %d %q %s", a.code, a.warnings, a.Raw)
			}
			if a := s.ask(x.method, x.path+"?fieldValidation=Loud", x.form, x.body); a.code != 422 ||
				!strings.Contains(a.Get("message").String(), `fieldValidation: Unsupported value: "Loud": supported values: "", "Ignore", "Strict", "Warn"`) {
				t.Errorf("loud: got %d %s", a.code, a.Raw)
			}
		})
	}
}

func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// TestSubresourcesOfCustomResources writes through the main resource, the status and the scale. Each touches what it may, and only a change of the spec counts
// as a generation.
func TestSubresourcesOfCustomResources(t *testing.T) {
	s := startWidgets(t)
	s.must("POST", widgetsURL, asJSON, widget("a", `{"size":3}`))
	check := func(what string, a jsonAnswer, generation int64, size int64, phase string) {
		t.Helper()
		if a.Get("metadata.generation").Int() != generation || a.Get("spec.size").Int() != size || a.Get("status.phase").String() != phase {
			t.Errorf("%s: %s", what, a.Raw)
		}
	}
	check("the main resource ignores a status", s.must("PATCH", widgetsURL+"/a", asMerge, `{"spec":{"size":4},"status":{"phase":"no"}}`), 2, 4, "")
	check("labels are no generation", s.must("PATCH", widgetsURL+"/a", asMerge, `{"metadata":{"labels":{"a":"b"}}}`), 2, 4, "")
	a := s.must("PATCH", widgetsURL+"/a/status", asMerge,
		`{"metadata":{"labels":{"no":"no"}},"spec":{"size":9},"status":{"phase":"Ready","replicas":2,"selector":"app=x"}}`)
	check("a status touches only the status", a, 2, 4, "Ready")
	if a.Get("metadata.labels.no").Exists() {
		t.Errorf("a status wrote labels: %s", a.Raw)
	}
	scale := s.must("GET", widgetsURL+"/a/scale", asJSON, "")
	if scale.Get("spec.replicas").Int() != 4 || scale.Get("status.replicas").Int() != 2 || scale.Get("status.selector").String() != "app=x" ||
		scale.Get("apiVersion").String() != "autoscaling/v1" {
		t.Errorf("the scale is %s", scale.Raw)
	}
	scale = s.must("PUT", widgetsURL+"/a/scale", asJSON, strings.Replace(scale.Raw, `"spec":{"replicas":4}`, `"spec":{"replicas":7}`, 1))
	if scale.Get("spec.replicas").Int() != 7 {
		t.Errorf("the scale is %s", scale.Raw)
	}
	a = s.must("GET", widgetsURL+"/a", asJSON, "")
	check("the scale", a, 3, 7, "Ready")
	if !a.Get(`metadata.managedFields.#(subresource=="scale").fieldsV1.f:spec.f:size`).Exists() {
		t.Errorf("the scale owns nothing: %s", a.Raw)
	}
}

// TestVersionsOfCustomResources reads and writes one object in two versions, each with the schema of its own.
func TestVersionsOfCustomResources(t *testing.T) {
	s := startWidgets(t)
	group := s.must("GET", "/apis/stage.example.com", asJSON, "")
	if got := group.Get("versions.#.version").Raw; got != `["v1","v1beta1"]` || group.Get("preferredVersion.version").String() != "v1" {
		t.Errorf("discovery has %s", group.Raw)
	}
	for path, want := range map[string]string{"v1": `["widgets","widgets/status","widgets/scale"]`, "v1beta1": `["widgets","widgets/status"]`} {
		if got := s.must("GET", "/apis/stage.example.com/"+path, asJSON, "").Get("resources.#.name").Raw; got != want {
			t.Errorf("%s has %s, want %s", path, got, want)
		}
	}
	if a := s.ask("GET", "/apis/stage.example.com/v1alpha1/namespaces/default/widgets", asJSON, ""); a.code != 404 {
		t.Errorf("a version that is not served: %d %s", a.code, a.Raw)
	}
	s.must("POST", widgetsURL, asJSON, widget("a", `{"size":3,"low":1}`))
	s.must("POST", oldWidgetsURL, asJSON, strings.Replace(widget("b", `{"size":2}`), "/v1", "/v1beta1", 1))
	for _, x := range []struct{ url, want string }{
		{widgetsURL + "/a", `{"color":"red","low":1,"size":3}`},
		{oldWidgetsURL + "/a", `{"color":"red","size":3}`}, // the default of old is for what is written in v1beta1
		{widgetsURL + "/b", `{"color":"red","size":2}`},    // old is unknown to the version that is stored
		{oldWidgetsURL + "/b", `{"color":"red","size":2}`},
	} {
		if a := s.must("GET", x.url, asJSON, ""); a.Get("spec").Raw != x.want || !strings.HasPrefix(x.url, "/apis/"+a.Get("apiVersion").String()+"/") {
			t.Errorf("%s: %s, want %s", x.url, a.Raw, x.want)
		}
	}
	list := s.must("GET", oldWidgetsURL, asJSON, "")
	if list.Get("items.#.apiVersion").Raw != `["stage.example.com/v1beta1","stage.example.com/v1beta1"]` || list.Get("items.0.spec.low").Exists() ||
		!slices.Equal(list.warnings, []string{`299 - "stage.example.com/v1beta1 Widget is deprecated; use stage.example.com/v1 Widget"`}) {
		t.Errorf("%q %s", list.warnings, list.Raw)
	}

	// A watch in v1beta1 has events in v1beta1. It ends when the definition changes.
	watch := make(chan string)
	go func() {
		watch <- s.ask("GET", oldWidgetsURL+"?watch=1&timeoutSeconds=60&resourceVersion="+list.Get("metadata.resourceVersion").String(), asJSON, "").Raw
	}()
	s.must("PATCH", widgetsURL+"/a", asMerge, `{"spec":{"low":2,"size":4}}`)
	s.must("PATCH", definitionsURL+"/widgets.stage.example.com", "application/json-patch+json", `[{"op":"replace","path":"/spec/versions/0/storage","value":false},
		{"op":"replace","path":"/spec/versions/1/storage","value":true}]`)
	event := gjson.Parse(<-watch)
	if event.Get("object.apiVersion").String() != "stage.example.com/v1beta1" || event.Get("object.spec").Raw != `{"color":"red","size":4}` {
		t.Errorf("the watch had %s", event.Raw)
	}
	definition := s.must("GET", definitionsURL+"/widgets.stage.example.com", asJSON, "")
	if definition.Get("status.storedVersions").Raw != `["v1","v1beta1"]` {
		t.Errorf("the stored versions are %s", definition.Get("status").Raw)
	}
	if a := s.must("GET", widgetsURL+"/a", asJSON, ""); a.Get("spec").Raw != `{"color":"red","size":4}` &&
		a.Get("spec").Raw != `{"color":"red","low":2,"size":4}` {
		t.Errorf("after the change: %s", a.Raw)
	}
}

// TestDefinitions creates a definition and one with the same names, and refuses what kube-apiserver 1.36.3 refuses, in its words.
func TestDefinitions(t *testing.T) {
	s := startWidgets(t)
	conditions := func(name, want string) {
		t.Helper()
		a := s.must("GET", definitionsURL+"/"+name+".stage.example.com", asJSON, "")
		var got []string
		for _, c := range a.Get("status.conditions").Array() {
			got = append(got, c.Get("type").String()+"="+c.Get("status").String()+" "+c.Get("reason").String()+": "+c.Get("message").String())
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: got %q, want %s", name, got, want)
		}
	}
	const accepted = "NamesAccepted=True NoConflicts: no conflicts found; Established=True InitialNamesAccepted: the initial names have been accepted"
	conditions("widgets", accepted)
	const gadgets = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gadgets.stage.example.com"},
		"spec":{"group":"stage.example.com","scope":"Cluster","names":{"plural":"gadgets","kind":"Widget","shortNames":["wd"]},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
	made := s.must("POST", definitionsURL, asJSON, gadgets)
	if got := made.Get("status").Raw; got != `{"acceptedNames":{"kind":"","plural":""},"conditions":null,"storedVersions":["v1"]}` {
		t.Errorf("a new definition has the status %s", got)
	}
	conditions("gadgets", `NamesAccepted=False ListKindConflict: "WidgetList" is already in use; Established=False NotAccepted: not all names are accepted`)
	if a := s.ask("GET", "/apis/stage.example.com/v1/gadgets", asJSON, ""); a.code != 404 {
		t.Errorf("a resource without a name is served: %d %s", a.code, a.Raw)
	}
	const bad = `CustomResourceDefinition.apiextensions.k8s.io "bads.stage.example.com" is invalid: `
	for name, x := range map[string]struct{ versions, says string }{
		"not structural": {`[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"properties":{}}}}}}]`,
			bad + "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields"},
		"no schema": {`[{"name":"v1","served":true,"storage":true}]`, bad + "spec.versions[0].schema.openAPIV3Schema: Required value"},
		"nothing is stored": {`[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]`,
			bad + `[spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,` +
				`"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version, ` +
				`status.storedVersions: Invalid value: null: must have at least one stored version]`},
		"no pattern": {`[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}}}]`,
			bad + `spec.validation.openAPIV3Schema.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: ` +
				"error parsing regexp: missing closing ): `(`"},
		"no default": {`[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","default":3}}}}}]`,
			bad + `spec.validation.openAPIV3Schema.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.ask("POST", definitionsURL, asJSON, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
				"metadata":{"name":"bads.stage.example.com"},"spec":{"group":"stage.example.com","scope":"Cluster","names":{"plural":"bads","kind":"Bad"},"versions":`+
				x.versions+`}}`)
			if a.code != 422 || a.Get("reason").String() != "Invalid" || a.Get("message").String() != x.says {
				t.Errorf("got %d %s\nwant %s", a.code, a.Get("message"), x.says)
			}
		})
	}
	if a := s.ask("PATCH", definitionsURL+"/widgets.stage.example.com", asMerge, `{"spec":{"scope":"Cluster"}}`); a.code != 422 ||
		!strings.HasSuffix(a.Get("message").String(), `spec.scope: Invalid value: "Cluster": field is immutable`) {
		t.Errorf("a change of the scope: %d %s", a.code, a.Raw)
	}
	s.must("DELETE", definitionsURL+"/widgets.stage.example.com", asJSON, "")
	conditions("gadgets", accepted) // its names are free now
	if a := s.must("GET", "/apis/stage.example.com/v1/gadgets", asJSON, ""); a.Get("kind").String() != "WidgetList" {
		t.Errorf("gadgets are %s", a.Raw)
	}
}

// TestApplyMergesByTheSchema applies configurations of two managers to a list with keys.
func TestApplyMergesByTheSchema(t *testing.T) {
	s := startWidgets(t)
	s.must("PATCH", widgetsURL+"/a?fieldManager=one", asApply, widget("a", `{"size":3,"parts":[{"id":"p"}]}`))
	a := s.must("PATCH", widgetsURL+"/a?fieldManager=two", asApply, widget("a", `{"parts":[{"id":"q","n":1}]}`))
	if got := a.Get("spec").Raw; got != `{"color":"red","parts":[{"id":"p","n":7},{"id":"q","n":1}],"size":3}` {
		t.Errorf("merged: %s", got)
	}
	if a := s.ask("PATCH", widgetsURL+"/a?fieldManager=two", asApply, widget("a", `{"size":4}`)); a.code != 409 {
		t.Errorf("the size of another: %d %s", a.code, a.Raw)
	}
	a = s.must("PATCH", widgetsURL+"/a?fieldManager=one", asApply, widget("a", `{"size":3}`))
	if got := a.Get("spec.parts").Raw; got != `[{"id":"q","n":1}]` {
		t.Errorf("what one gave up: %s", got)
	}
}

// TestBuiltInTypesKeepWhatTheyHave writes each object back as it was read: nothing changes, so there is no new version.
func TestBuiltInTypesKeepWhatTheyHave(t *testing.T) {
	s := startWidgets(t)
	for _, path := range []string{"/api/v1/pods", "/api/v1/nodes", "/api/v1/namespaces", "/api/v1/configmaps", "/apis/apps/v1/deployments",
		"/apis/apps/v1/replicasets", "/apis/coordination.k8s.io/v1/leases", definitionsURL} {
		root, plural := path[:strings.LastIndex(path, "/")], path[strings.LastIndex(path, "/"):]
		items := s.must("GET", path, asJSON, "").Get("items").Array()
		if len(items) == 0 {
			t.Errorf("there are no %s", plural)
		}
		for _, item := range items[:min(3, len(items))] {
			url := root + plural + "/" + item.Get("metadata.name").String()
			if ns := item.Get("metadata.namespace").String(); ns != "" {
				url = fmt.Sprintf("%s/namespaces/%s%s/%s", root, ns, plural, item.Get("metadata.name"))
			}
			object := s.must("GET", url, asJSON, "")
			next := s.ask("PUT", url+"?fieldValidation=Strict&dryRun=All", asJSON, object.Raw)
			if next.Get("spec").Raw != object.Get("spec").Raw && next.code != 409 { // a kubelet may have written in between
				t.Errorf("%s: %d\n%s\nbecame\n%s", url, next.code, object.Raw, next.Raw)
			}
		}
	}
}
