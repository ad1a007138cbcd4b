package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
)

// openFake opens the page with the worker of testdata/fakeworker.js, which shows what a test gives it: fake.show(a change of State, {view, marks}).
func openFake(t *testing.T, b *browser.Browser, srv *server, fragment string, width, height int64) *browser.Page {
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
	for _, script := range []string{stageTools(t), string(text)} {
		if err := p.OnNewDocument(within(t, 30*time.Second), script); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(within(t, time.Minute), srv.url+fragment); err != nil {
		t.Fatal(err)
	}
	evalIn[bool](t, p, "informerscope.ready.then(() => fake.show({}, {reset: true}))")
	settle(t, p)
	return p
}
