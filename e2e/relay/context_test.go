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

// startAPI starts an API server that answers with a function.
func startAPI(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(answer)
	t.Cleanup(func() {
		srv.CloseClientConnections() // a watch does not end by itself
		srv.Close()
	})
	return srv
}

// keepWatch answers a watch with its initial events, up to a version, and keeps it open.
func keepWatch(w http.ResponseWriter, r *http.Request, version string, pods ...string) {
	for _, pod := range pods {
		fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", pod)
	}
	fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":%q,`+
		`"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", version)
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// podServer is an API server with one pod of the given name, and only what a page needs of one.
func podServer(t *testing.T, name string) *httptest.Server {
	t.Helper()
	return startAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		pod := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"default","resourceVersion":"5"}}`
		if r.URL.Query().Get("watch") == "" {
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"6"},"items":[` + pod + `]}`))
			return
		}
		keepWatch(w, r, "6", pod)
	})
}

// TestContexts chooses contexts of a kubeconfig in the page's own picker, with the mouse and with the keyboard alone. It shares a moment of a live
// cluster as a file, because no link could lead there.
func TestContexts(t *testing.T) {
	t.Parallel()
	first, second := podServer(t, "of-the-first"), podServer(t, "of-the-second")
	kubeconfig := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, []byte(`apiVersion: v1
kind: Config
current-context: first
clusters: [{name: first, cluster: {server: "`+first.URL+`"}}, {name: second, cluster: {server: "`+second.URL+`"}}]
users: [{name: u, user: {}}]
contexts: [{name: first, context: {cluster: first, user: u}}, {name: the second, context: {cluster: second, user: u}}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+kubeconfig)
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=60&lang=en", 1280, 720)
	harness.EvalIn[bool](t, p, "("+strings.TrimSuffix(harness.CatchFiles, "()")+")(), true")

	harness.Use(t, p, harness.Control{
		Do:   []string{"click stage.find('button', /^source/)", "wait stage.find('.pop [role=option]', /^first/) && stage.find('.pop [role=option]', /^the second/)"},
		Page: "stage.find('.pop [role=option][aria-selected=true]', /^simulated/)",
	})
	harness.Shot(t, p, "1-picker")
	harness.Use(t, p, harness.Control{
		Do:   []string{"click stage.seek('.pop [role=option]', /^the second/)"},
		Want: "s.source.kind === 'live' && s.source.context === 'the second' && s.indexer.count === 1 && s.queue.synced && !s.source.trouble",
		Page: "location.hash.includes('source=live') && /second/.test(new URLSearchParams(location.hash.slice(1)).get('context')) && !stage.find('.pop')",
	})
	harness.Use(t, p, harness.Control{Want: "true", Page: "informerscope.object('default/of-the-second').then((o) => o.rv === '5')"})

	// With the keys alone: Tab to the source, Enter, and Tab again down to the context.
	harness.EvalIn[bool](t, p, "(document.activeElement?.blur?.(), true)")
	tabTo := func(pattern string) {
		t.Helper()
		for range 60 {
			if err := p.Keys(harness.Timeout(t, 10*time.Second), "Tab"); err != nil {
				t.Fatal(err)
			}
			if harness.EvalIn[bool](t, p, pattern+".test(stage.name(document.activeElement))") {
				return
			}
		}
		t.Fatalf("Tab does not come to %s", pattern)
	}
	tabTo("/^source/")
	if err := p.Keys(harness.Timeout(t, 10*time.Second), "Enter"); err != nil {
		t.Fatal(err)
	}
	if err := p.WaitFor(harness.Timeout(t, 10*time.Second), "stage.find('.pop [role=option][aria-selected=true]', /^the second/)",
		"document.querySelector('.pop')?.textContent"); err != nil {
		t.Fatal(err)
	}
	tabTo("/^first/")
	harness.Use(t, p, harness.Control{Do: []string{"keys Enter"}, Want: "s.source.context === 'first' && s.indexer.count === 1 && s.queue.synced"})
	harness.Use(t, p, harness.Control{Want: "true", Page: "informerscope.object('default/of-the-first').then((o) => o.rv === '5')"})

	// A live moment is shared as a file.
	harness.Pause(t, p)
	s := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'")
	harness.Use(t, p, harness.Control{Do: []string{"click stage.find('button', /^share/)", "wait stage.find('.pop .row')"},
		Page: "!/link/i.test(stage.find('.pop .row').textContent)"})
	harness.Use(t, p, harness.Control{Do: []string{"click stage.find('.pop .row')"},
		Page: "__files.names.length === 1 && __files.texts.length === 1 && __files.copied === ''"})
	if name := harness.EvalIn[string](t, p, "__files.names[0]"); !strings.Contains(name, "-at") || !strings.HasSuffix(name, ".jsonl") {
		t.Errorf("the moment of a live cluster is saved as %s, want its event %d in the name", name, s.Seq)
	}

	// Back to the simulated cluster, whose moment is a link.
	harness.Use(t, p, harness.Control{
		Do:   []string{"focus stage.find('button', /^source/)", "keys Enter", "focus stage.seek('.pop [role=option]', /^simulated/)", "keys Enter"},
		Want: "s.source.kind === 'sim' && s.queue.synced && s.indexer.count >= 60",
	})
	harness.Use(t, p, harness.Control{Do: []string{"click stage.find('button', /^share/)", "click stage.seek('.pop .row', /link/i)"},
		Page: "__files.copied !== ''"})
	if link := harness.EvalIn[string](t, p, "__files.copied"); !strings.Contains(link, "source=sim") || !strings.Contains(link, "seed=7") ||
		strings.Contains(link, "token") || strings.Contains(link, "first") {
		t.Errorf("the link is %s", link)
	}
	p.ExpectClean(t)
}
