package harness

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
)

// OpenFake opens the page with the worker of testdata/fakeworker.js, which shows what a test gives it: fake.show(a change of State, {view, marks}).
func OpenFake(t *testing.T, b *browser.Browser, srv *Server, fragment string, width, height int64) *browser.Page {
	t.Helper()
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "testdata", "fakeworker.js"))
	if err != nil {
		t.Fatal(err)
	}
	p := b.OpenForTest(t, "about:blank", width, height)
	for _, script := range []string{StageTools(t), string(text)} {
		if err := p.OnNewDocument(Timeout(t, 30*time.Second), script); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(Timeout(t, time.Minute), srv.URL+fragment); err != nil {
		t.Fatal(err)
	}
	EvalIn[bool](t, p, "informerscope.ready.then(() => fake.show({}, {reset: true}))")
	Settle(t, p)
	return p
}
