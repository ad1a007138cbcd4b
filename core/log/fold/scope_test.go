package fold

import "testing"

func TestScopeOf(t *testing.T) {
	for request, want := range map[string][2]string{
		"": {}, "/api/v1/pods?watch=true&resourceVersion=5": {}, "/api/v1/namespaces?limit=5": {}, "/api/v1/namespaces/shop": {},
		"/apis/apps/v1/namespaces/shop/deployments?labelSelector=app%3Da&fieldSelector=x%3Dy": {"shop", "fieldSelector=x%3Dy&labelSelector=app%3Da"}, "http://[": {},
	} {
		if namespace, selectors := ScopeOf(request); [2]string{namespace, selectors} != want {
			t.Errorf("%s: %q, %q", request, namespace, selectors)
		}
	}
}
