package relay_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// janesServer is an API server whose user may read the pods in team-a and nothing else.
func janesServer(t *testing.T) *httptest.Server {
	t.Helper()
	return startAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/api/v1/namespaces/team-a/pods" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s is forbidden: User \"jane\" cannot list resource at the cluster scope","reason":"Forbidden","code":403}`, strings.Trim(r.URL.Path, "/"))
			return
		}
		pod := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"mine","namespace":"team-a","resourceVersion":"5"}}`
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"6"},"items":[%s]}`, pod)
			return
		}
		keepWatch(w, r, "6", pod)
	})
}

// janesKubeconfig is a kubeconfig whose context names team-a.
func janesKubeconfig(t *testing.T, api string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(`apiVersion: v1
kind: Config
current-context: jane@team
clusters: [{name: team, cluster: {server: "`+api+`"}}]
users: [{name: jane, user: {}}]
contexts: [{name: jane@team, context: {cluster: team, user: jane, namespace: team-a}}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUserOfOneNamespace is the first visit of a user who may read one namespace. The page shows the context's own first. All namespaces are refused
// with an explanation, and one press leads back. The menu takes a name. The address has the namespace.
func TestUserOfOneNamespace(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+janesKubeconfig(t, janesServer(t).URL))
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=live&context=jane@team&resource=pods&lang=en", 1280, 720)
	harness.Await(t, p, 30*time.Second, "s.resource.namespace === 'team-a' && s.indexer.count === 1 && s.source.namespace === 'team-a'")
	const key = "new URLSearchParams(location.hash.slice(1)).get('namespace')"
	harness.WaitUntil(t, p, key+" === 'team-a'")

	open := "click stage.find('button', /^namespace/)"
	harness.Use(t, p, harness.Control{Do: []string{open, "wait /may not list/.test(document.querySelector('.pop .note')?.textContent)",
		"click stage.seek('.pop [role=option]', /^all namespaces/)"},
		Want: "s.resource.namespace === '' && s.source.cause === 'forbidden' && s.source.offer.namespace === 'team-a'"})
	harness.WaitUntil(t, p, key+" === ''")
	harness.Use(t, p, harness.Control{Page: "/403|may not|forbid/i.test(document.querySelector('.say').textContent) && !!stage.find('[data-do=offer]', /team-a/)"})
	harness.Shot(t, p, "refused")
	p.ForgetProblems()
	harness.Use(t, p, harness.Control{Do: []string{"click stage.seek('[data-do=offer]', /team-a/)"},
		Want: "s.resource.namespace === 'team-a' && s.indexer.count === 1 && !s.source.trouble && !s.source.cause"})
	harness.Use(t, p, harness.Control{Page: "!stage.find('[data-do=offer]') && !/lost watch|broke/.test(document.querySelector('.say').textContent)"})
	harness.Use(t, p, harness.Control{Do: []string{open, "type team-b", "keys Enter"},
		Want: "s.resource.namespace === 'team-b' && s.source.cause === 'forbidden'"})

	// An address without the key means the context's own namespace, one with an empty key all of them.
	for fragment, want := range map[string]string{"&namespace=": "", "": "team-a"} {
		p := b.OpenForTest(t, srv.URL+"&source=live&context=jane@team&resource=pods&lang=en"+fragment, 1280, 720)
		harness.Await(t, p, 30*time.Second, "s.resource.namespace === %q && s.source.kind === 'live'", want)
		harness.WaitUntil(t, p, key+" === "+harness.Quote(want))
	}
}

// TestAnotherLaunch restarts the server under a page, with another token. The page reports that the server runs and asks for its link. With the new
// link it continues with the same context.
func TestAnotherLaunch(t *testing.T) {
	t.Parallel()
	kubeconfig := janesKubeconfig(t, janesServer(t).URL)
	first := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+kubeconfig)
	address := strings.TrimPrefix(first.URL[:strings.Index(first.URL, "/#")], "http://")
	p := harness.OpenStage(t, browser.StartForTest(t), first, "&source=live&context=jane@team&resource=pods&lang=en", 1280, 720)
	harness.Await(t, p, 30*time.Second, "s.indexer.count === 1")
	harness.EvalIn[bool](t, p, "(globalThis.__here = true)")
	first.Stop(5 * time.Second)
	harness.WaitUntil(t, p, "informerscope.state().then((s) => s.source.cause === 'relay-gone')")
	harness.Settle(t, p)
	if words := harness.EvalIn[string](t, p,
		"[...document.querySelectorAll('.say, .src, .worlds')].map((e) => e.textContent).join('|')"); strings.Contains(words, "has every change") ||
		strings.Contains(words, "· live") {
		t.Errorf("with the server gone the page says %s", words)
	}
	harness.Shot(t, p, "gone")
	second := harness.StartServer(t, "--listen="+address, "--kubeconfig="+kubeconfig)
	if err := p.WaitFor(harness.Timeout(t, 2*time.Minute), "document.querySelector('.newlink input')", "document.querySelector('.say').textContent"); err != nil {
		t.Fatal(err)
	}
	harness.Shot(t, p, "asks")
	harness.EvalIn[bool](t, p, "(document.querySelector('.newlink input').value = %s, true)", harness.Quote(second.URL))
	harness.Use(t, p, harness.Control{Do: []string{"focus document.querySelector('.newlink input')", "keys Enter"},
		Want: "s.indexer.count === 1 && s.queue.synced && s.reflector.phase === 'watching' && !s.source.cause && s.resource.namespace === 'team-a'",
		Page: "__here && !document.querySelector('.newlink') && location.hash.includes('context=jane')"})
	harness.Shot(t, p, "again")
}
