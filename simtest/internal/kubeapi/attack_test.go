package kubeapi

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
		{"an object nested deeply", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, object(deep(`{"a":`, `1`, `}`, 9000)), 201, "", true},
		{"an object nested too deeply", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`,
			object(deep(`{"a":`, `1`, `}`, 10_000)), 400, "exceeded max depth", false},
		{"a hundred thousand properties", `{"type":"object","properties":{"a":{"type":"integer"}` + many.String() + `}}`, object(`{"a":"x"}`), 422,
			`spec.a in body must be of type integer: "string"`, true},
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
