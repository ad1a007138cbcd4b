package kubeapi

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"informerscope/core/cluster/simcluster"
)

// attackLimit is the time that a server may take for the worst of requests: 5 s of a processor that is busy with other tests, too.
const attackLimit = 5 * time.Minute

// attackDefinition is a definition of attacks with these properties of the spec.
func attackDefinition(spec string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"attacks.stage.example.com"},
		"spec":{"group":"stage.example.com","scope":"Cluster","names":{"plural":"attacks","kind":"Attack"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":` + spec + `}}}}]}}`
}

// TestAttacks sends what costs much: each answer is a Status that says why, or the object, and the server serves on.
func TestAttacks(t *testing.T) {
	s := startWidgets(t)
	s.client.Timeout = attackLimit
	deep := func(open, inner, shut string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, `,"p%05d":{"type":"string"}`, i)
	}
	thousand := "[" + strings.Repeat("{},", 999) + "{}]"
	list := func(inner string) string {
		return `{"type":"array","default":` + thousand + `,"items":{"type":"object","properties":{"a":` + inner + `}}}`
	}
	object := func(spec string) string {
		return `{"apiVersion":"stage.example.com/v1","kind":"Attack","metadata":{"name":"a"},"spec":` + spec + `}`
	}
	for _, x := range []struct {
		name, schema, object string
		code                 int
		says                 string
		isLong               bool
	}{
		{"a schema nested deeply", deep(`{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`, 1000),
			object(deep(`{"a":`, `"x"`, `}`, 1000)), 201, "", false},
		{"a schema nested too deeply", deep(`{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`, 5000), "", 400, "exceeded max depth", false},
		{"a huge pattern", `{"type":"object","properties":{"a":{"type":"string","pattern":"` + strings.Repeat("(a|b)?", 100_000) + `"}}}`, "", 201, "", true},
		{"a pattern that repeats", `{"type":"object","properties":{"a":{"type":"string","pattern":"((a{100}){100}){100}"}}}`, "", 422, "regular expression", false},
		{"defaults within defaults", `{"type":"object","default":{},"properties":{"a":` + list(list(list(`{"type":"string","default":"x"}`))) + `}}`,
			object(`{}`), 413, "defaults", false},
		{"an object nested deeply", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, object(deep(`{"a":`, `1`, `}`, 9980)), 201, "", true},
		{"an object nested too deeply", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`,
			object(deep(`{"a":`, `1`, `}`, 10_000)), 400, "exceeded max depth", false},
		{"a hundred thousand properties", `{"type":"object","properties":{"a":{"type":"integer"}` + many.String() + `}}`, "", 500,
			"etcdserver: request is too large", true},
		{"twenty thousand properties", `{"type":"object","properties":{"a":{"type":"integer"}` + many.String()[:20_000*len(`,"p00000":{"type":"string"}`)] + `}}`,
			object(`{"a":"x"}`), 422, `spec.a in body must be of type integer: "string"`, false},
		{"a catastrophic pattern", `{"type":"object","properties":{"a":{"type":"string","pattern":"^(((a+)+)+)+$"}}}`,
			object(`{"a":"` + strings.Repeat("a", 1<<18) + `b"}`), 422, "spec.a", false},
		{"a rule that never ends", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"string"}}}},
			"x-kubernetes-validations":[{"rule":"self.a.all(x, self.a.all(y, x.all(z, y.all(w, w == z))))"}]}`, "", 422, "exceeds budget", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			if testing.Short() && x.isLong {
				t.Skip("long: make verify runs it")
			}
			a := s.ask("POST", definitionsURL, asJSON, attackDefinition(x.schema))
			if a.code == 201 && x.object != "" {
				a = s.ask("POST", "/apis/stage.example.com/v1/attacks", asJSON, x.object)
			}
			if a.code != x.code || !strings.Contains(a.Get("message").String(), x.says) {
				t.Errorf("got %d %.2000s, want %d with %q", a.code, a.Raw, x.code, x.says)
			}
			if a := s.ask("DELETE", definitionsURL+"/attacks.stage.example.com", asJSON, ""); a.code != 200 && a.code != 404 {
				t.Errorf("deleting the definition: %d %.500s", a.code, a.Raw)
			}
		})
	}
	s.must("POST", widgetsURL, asJSON, widget("a", `{"size":3}`))
}

// TestAttacksOnBuiltInKinds sends what is refused or costs much to kinds that have no definition.
func TestAttacksOnBuiltInKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	const maps, deployments = mapsURL, deploymentsURL
	list := func(n int, item string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ","+item, i)
		}
		return b.String()[1:]
	}
	create := request{"POST", maps, asJSON, `{"metadata":{"name":"a"}}`, 201, ""}
	deployment := func(spec string) string {
		return `{"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},
			"spec":{"containers":[{"name":"c","image":"i"}]}}` + spec + `}}`
	}
	variables := `{"spec":{"template":{"spec":{"containers":[{"name":"c","env":[` + list(10_000, `{"name":"V%d","value":"x"}`) + `]}]}}}}`
	for name, requests := range map[string][]request{
		"a negative limit": {{"POST", deployments, asJSON, deployment(`,"revisionHistoryLimit":-1`), 422,
			`Deployment.apps "a" is invalid: spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0`}},
		"replicas that are no number": {{"POST", deployments, asJSON, deployment(`,"replicas":1e10`), 400, "cannot be handled as a Deployment"}},
		"parallelism": {{"POST", "/apis/batch/v1/namespaces/default/jobs", asJSON, `{"metadata":{"name":"a"},"spec":{"parallelism":-2147483648,"completions":-1,
			"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, 201, ""}},
		"copies that double": {create, {"PATCH", maps + "/a", asJSONPatch, `[{"op":"add","path":"/data","value":["0123456789abcdef"]}` +
			strings.Repeat(`,{"op":"copy","from":"/data","path":"/data/-"}`, 27) + "]", 422, ""}},
		"a patch into its own depth": {create, {"PATCH", maps + "/a", asJSONPatch, `[{"op":"add","path":"/data","value":` + strings.Repeat(`{"a":`, 9000) + "1" +
			strings.Repeat("}", 9000) + `},{"op":"copy","from":"/data","path":"/data` + strings.Repeat("/a", 8999) + `/b"}]`, 422, ""}, {"PATCH", maps + "/a", asMerge, `{"data":{"b":"c"}}`, 200, ""}},
		"ten thousand finalizers": {create,
			{"PATCH", maps + "/a", asStrategic, `{"metadata":{"finalizers":[` + list(10_000, `"example.com/a%d"`) + `]}}`, 200, ""},
			{"PATCH", maps + "/a", asStrategic, `{"metadata":{"finalizers":[` + list(10_000, `"example.com/b%d"`) + `]}}`, 200, ""}},
		"ten thousand variables": {{"POST", deployments, asJSON, deployment(""), 201, ""},
			{"PATCH", deployments + "/a", asStrategic, variables, 200, ""}, {"PATCH", deployments + "/a", asStrategic, variables, 200, ""}},
		"twenty thousand keys": {{"POST", maps, asJSON, `{"metadata":{"name":"a"},"data":{` + list(20_000, `"k%d":""`) + `}}`, 201, ""},
			{"PATCH", maps + "/a", asMerge, `{"data":{"k":"v"}}`, 200, ""}},
		"a hundred thousand keys": {{"POST", maps, asJSON, `{"metadata":{"name":"a"},"data":{` + list(100_000, `"key%06d":"0"`) + `}}`, 500,
			"etcdserver: request is too large"}},
		"a hundred thousand annotations": {{"POST", maps, asJSON, `{"metadata":{"name":"a","annotations":{` + list(100_000, `"k%d":"v"`) + `}}}`, 422,
			`ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes`}},
		"a selector of many terms": {{"GET", maps + "?labelSelector=" + list(120_000, "k%d!=v"), asJSON, "", 200, ""},
			{"GET", maps + "?fieldSelector=" + list(120_000, "k%d!=v"), asJSON, "", 400, "is not a known field selector"}},
	} {
		t.Run(name, func(t *testing.T) {
			api := New(simcluster.Options{Seed: 7, Objects: -1, Still: true})
			began := time.Now()
			for _, r := range requests {
				w := httptest.NewRecorder()
				q := httptest.NewRequest(r.method, r.path, strings.NewReader(r.body))
				q.Header.Set("Content-Type", r.form)
				api.ServeHTTP(w, q)
				if w.Code != r.code || !strings.Contains(gjson.Get(w.Body.String(), "message").String(), r.says) {
					t.Errorf("%s %.100s: got %d %.1000s, want %d with %q", r.method, r.path, w.Code, w.Body, r.code, r.says)
				}
			}
			if took := time.Since(began); took > attackLimit {
				t.Errorf("it took %v", took)
			}
		})
	}
}

type request struct {
	method, path, form, body string
	code                     int
	says                     string
}
