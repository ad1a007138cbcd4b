package guard

import (
	"net/http/httptest"
	"testing"
)

func TestVerb(t *testing.T) {
	resources, err := ParseResources("*")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/version":                            "discovery",
		"/apis/apps/v1":                       "discovery",
		"/api/v1/pods":                        "list",
		"/api/v1/namespaces/a/pods?limit=5":   "list",
		"/api/v1/pods?watch=false":            "list",
		"/api/v1/pods?watch=1":                "watch",
		"/api/v1/namespaces/a":                "get",
		"/api/v1/namespaces/a/pods/b":         "get",
		"/apis/apps/v1/deployments":           "list",
		"/api/v1/namespaces/a/pods/b?watch=1": "watch",
	} {
		r := httptest.NewRequest("GET", "/clusters/c"+path, nil)
		request, refusal := Rules{Resources: resources}.Check(r)
		if refusal != nil {
			t.Errorf("%s: %v", path, refusal)
		} else if got := request.Verb(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
