package browser_test

import (
	"context"
	"errors"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// serve answers each path with its text, and 404 to all others.
func serve(t *testing.T, csp string, files map[string]string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.Path]
		if r.URL.Path == "/favicon.ico" {
			text, ok = "", true
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		if csp != "" {
			w.Header().Set("Content-Security-Policy", csp)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		w.Write([]byte(text))
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/"
}

func TestPageProblems(t *testing.T) {
	b := browser.StartForTest(t)
	tests := []struct {
		name  string
		csp   string
		files map[string]string
		want  string // part of a problem; "" for none
	}{
		{name: "clean", files: map[string]string{"/": `<p>hello</p><script>console.log("fine"); document.title = "done"</script>`}},
		{name: "console error", files: map[string]string{"/": `<script>console.error("woe", 7)</script>`}, want: "woe 7"},
		{name: "exception", files: map[string]string{"/": `<script>throw new TypeError("thrown")</script>`}, want: "TypeError: thrown"},
		{name: "rejection", files: map[string]string{"/": `<script>Promise.reject(new Error("rejected"))</script>`}, want: "Error: rejected"},
		{name: "missing file", files: map[string]string{"/": `<script src="missing.js"></script>`}, want: "404"},
		{name: "policy", csp: "default-src 'none'; script-src 'self'", files: map[string]string{"/": `<script>1</script>`}, want: "Content Security Policy"},
		{name: "worker exception", files: map[string]string{
			"/": `<script>new Worker("w.js")</script>`, "/w.js": `throw new Error("in the worker")`},
			want: "in the worker"},
		{name: "worker console", files: map[string]string{
			"/": `<script>new Worker("w.js")</script>`, "/w.js": `console.error("worker woe"); setInterval(() => {}, 1000)`}, want: "worker woe"},
		{name: "go panic", files: map[string]string{
			"/": `<script>new Worker("w.js")</script>`, "/w.js": `console.log("panic: lost"); setInterval(() => {}, 1000)`}, want: "panic: lost"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			page, err := b.Open(ctx, serve(t, tt.csp, tt.files), 800, 600)
			if err != nil {
				t.Fatal(err)
			}
			defer page.Close()
			// Each evaluation is a round trip through the browser, so problems can arrive meanwhile.
			for tt.want != "" && ctx.Err() == nil && !tells(page, tt.want) {
				if _, err := browser.Eval[bool](ctx, page, "new Promise((r) => requestAnimationFrame(() => r(true)))"); err != nil {
					t.Fatal(err)
				}
			}
			if got := page.Problems(); tt.want == "" && len(got) > 0 {
				t.Errorf("problems of a clean page: %v", got)
			} else if tt.want != "" && !tells(page, tt.want) {
				t.Errorf("problems: %v, want one with %q", got, tt.want)
			}
		})
	}
}

func tells(p *browser.Page, want string) bool {
	for _, problem := range p.Problems() {
		if strings.Contains(problem.Text, want) {
			return true
		}
	}
	return false
}

func TestPageWaitsAndLooks(t *testing.T) {
	b := browser.StartForTest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	url := serve(t, "", map[string]string{"/": `<title>x</title><script>
		let n = 0;
		globalThis.informerscope = { ready: Promise.resolve(), state: async () => ({seq: ++n, indexer: {count: n * 2}, reflector: {phase: "watching"}}) };
	</script>`})
	page := b.OpenForTest(t, url, 1280, 720)
	size, err := browser.Eval[[]int](ctx, page, "[innerWidth, innerHeight]")
	if err != nil || len(size) != 2 || size[0] != 1280 || size[1] != 720 {
		t.Fatalf("viewport %v, %v; want 1280x720", size, err)
	}
	s, err := page.WaitState(ctx, "s.indexer.count >= 10")
	if err != nil || s.Seq != 5 || s.Reflector.Phase != "watching" {
		t.Fatalf("waited for state %+v, %v; want seq 5", s, err)
	}
	path, err := page.Screenshot(ctx, "plain")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if cfg, err := png.DecodeConfig(f); err != nil || cfg.Width != 1280 || cfg.Height != 720 {
		t.Fatalf("screenshot %+v, %v; want 1280x720", cfg, err)
	}

	// A wait continues in the next document when the page is loaded again.
	if _, err := browser.Eval[bool](ctx, page, "(setTimeout(() => { sessionStorage.setItem('again', '1'); location.reload(); }), true)"); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitFor(ctx, "performance.getEntriesByType('navigation')[0].type === 'reload' && sessionStorage.getItem('again') === '1'", "''"); err != nil {
		t.Errorf("the wait does not continue in a page that was loaded again: %v", err)
	}

	short, cancelShort := context.WithTimeout(ctx, time.Second)
	defer cancelShort()
	if _, err := page.WaitState(short, "s.indexer.count < 0"); err == nil || !strings.Contains(err.Error(), `"phase":"watching"`) {
		t.Fatalf("a wait that must fail says %v, want the last state", err)
	}
	stopped, stop := context.WithCancelCause(ctx)
	stop(errors.New("enough"))
	if err := page.WaitFor(stopped, "false", "1"); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Fatalf("a cancelled wait says %v, want the cause", err)
	}
	// A wait that failed leaves the page usable.
	if err := page.WaitFor(ctx, "document.title === 'x'", "document.title"); err != nil {
		t.Fatal(err)
	}
	page.ExpectClean(t)
}
