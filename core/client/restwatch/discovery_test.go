package restwatch

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func formatResources(rs []Resource) string {
	var lines []string
	for _, r := range rs {
		line := fmt.Sprintf("%s.%s.%s %s %v", r.Resource, r.Version, r.Group, r.Kind, r.Namespaced)
		if r.Preferred {
			line += " preferred"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestDiscoverAggregated(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Accept"), aggregated+",") {
			t.Errorf("Accept: %s", r.Header.Get("Accept"))
		}
		switch r.URL.Path {
		case "/api":
			answer(200, aggregated, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"creationTimestamp":null},"versions":[{"version":"v1","freshness":"Current","resources":[
				{"resource":"bindings","responseKind":{"group":"","version":"v1","kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]},
				{"resource":"nodes","responseKind":{"group":"","version":"v1","kind":"Node"},"scope":"Cluster","singularResource":"node","verbs":["list","watch"],"shortNames":["no"]},
				{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["list","watch"],"subresources":[{"subresource":"status","responseKind":{"group":"","version":"v1","kind":"Pod"},"verbs":["get"]}]}]}]}]}`)(w, r)
		case "/apis":
			answer(200, aggregated, `{"kind":"APIGroupDiscoveryList","items":[
				{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]},
				{"metadata":{"name":"g.io"},"versions":[{"version":"v2","resources":[{"resource":"foos","responseKind":{"kind":"Foo"},"scope":"Namespaced","verbs":["list","watch"]},{"resource":"parents","verbs":["list","watch"]}]},
					{"version":"v1","freshness":"Current","resources":[{"resource":"foos","responseKind":{"kind":"Foo"},"scope":"Namespaced","verbs":["list","watch"]},{"resource":"bars","responseKind":{"kind":"Bar"},"scope":"Cluster","verbs":["watch","list"]}]}]}]}`)(w, r)
		default:
			t.Errorf("unexpected request %s", r.RequestURI)
		}
	})
	rs, err := c.Discover(context.Background())
	if err == nil || !strings.Contains(err.Error(), "metrics.k8s.io/v1beta1 is stale") {
		t.Errorf("%v", err)
	}
	if got, want := formatResources(rs), "nodes.v1. Node false preferred\npods.v1. Pod true preferred\nfoos.v2.g.io Foo true preferred\nfoos.v1.g.io Foo "+
		"true\nbars.v1.g.io Bar false preferred"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if len(rs) > 0 && (rs[0].GVR().Resource != "nodes" || rs[0].Singular != "node" || rs[0].ShortNames[0] != "no") {
		t.Errorf("%+v", rs[0])
	}
}

func TestDiscoverGroupByGroup(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{
			"/api":    `{"kind":"APIVersions","versions":["v1"]}`,
			"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","namespaced":true,"kind":"Pod","verbs":["list","watch"]},{"name":"pods/status","namespaced":true,"kind":"Pod","verbs":["list","watch"]},{"name":"bindings","kind":"Binding","verbs":["create"]}]}`,
			"/apis": `{"kind":"APIGroupList","groups":[{"name":"broken.io","versions":[{"groupVersion":"broken.io/v1","version":"v1"}],"preferredVersion":{"version":"v1"}},
				{"name":"apps","versions":[{"groupVersion":"apps/v1beta1","version":"v1beta1"},{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]}`,
			"/apis/apps/v1":      `{"kind":"APIResourceList","resources":[{"name":"deployments","namespaced":true,"kind":"Deployment","verbs":["list","watch"]}]}`,
			"/apis/apps/v1beta1": `{"kind":"APIResourceList","resources":[{"name":"deployments","namespaced":true,"kind":"Deployment","verbs":["list","watch"]}]}`,
		}[r.URL.Path]
		if body == "" {
			answer(503, "text/plain", "service unavailable")(w, r)
			return
		}
		answer(200, "application/json", body)(w, r)
	})
	rs, err := c.Discover(context.Background())
	if !apierrors.IsServiceUnavailable(err) || !strings.Contains(err.Error(), "/apis/broken.io/v1") {
		t.Errorf("%v", err)
	}
	if got, want := formatResources(rs), "pods.v1. Pod true preferred\ndeployments.v1.apps Deployment true preferred\ndeployments.v1beta1.apps Deployment "+
		"true"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestDiscoverErrors(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"forbidden":  answer(403, "text/plain", "no"),
		"html":       answer(200, "text/html", "<p>hello"),
		"not JSON":   answer(200, "application/json", "{"),
		"other kind": answer(200, "application/json", `{"kind":"Pod"}`),
		"wrong type": answer(200, "application/json", `{"kind":"APIGroupList","groups":"many"}`),
	} {
		rs, err := serve(t, h).Discover(context.Background())
		if err == nil || len(rs) != 0 {
			t.Errorf("%s: %v, %v", name, rs, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := serve(t, answer(200, "", "")).Discover(ctx); err == nil {
		t.Error("a cancelled discovery succeeded")
	}
}
