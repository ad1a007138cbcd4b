package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
)

// StageTools are functions that the tests of the stage use in the page, kept as JavaScript in testdata/stage.js.
func StageTools(t testing.TB) string {
	t.Helper()
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "testdata", "stage.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// OpenStage opens the page with fragment behind the server's address, with the tools of testdata/stage.js in it, and waits until its informer has
// synced.
func OpenStage(t *testing.T, b *browser.Browser, srv *Server, fragment string, width, height int64) *browser.Page {
	t.Helper()
	page := b.OpenForTest(t, "about:blank", width, height)
	if err := page.OnNewDocument(Timeout(t, 30*time.Second), StageTools(t)); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(Timeout(t, time.Minute), srv.URL+fragment); err != nil {
		t.Fatal(err)
	}
	Await(t, page, time.Minute, "s.queue.synced && s.reflector.phase === 'watching'")
	Settle(t, page)
	return page
}

// Settle waits until the page has painted the state of its worker: two frames later, and with the transitions of its style sheet over.
func Settle(t testing.TB, page *browser.Page) {
	t.Helper()
	EvalIn[bool](t, page, "stage.settled()")
}

// EvalIn is browser.Eval for a test.
func EvalIn[T any](t testing.TB, page *browser.Page, expression string, args ...any) T {
	t.Helper()
	if len(args) > 0 {
		expression = fmt.Sprintf(expression, args...)
	}
	v, err := browser.Eval[T](t.Context(), page, expression)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// EvalJSON evaluates an expression whose value is JSON text, and decodes it.
func EvalJSON[T any](t testing.TB, page *browser.Page, expression string, args ...any) T {
	t.Helper()
	var v T
	text := EvalIn[string](t, page, expression, args...)
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s gave %q: %v", expression, text, err)
	}
	return v
}

// Quote is a JavaScript string literal.
func Quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// Abridge is the first n of words, a line each, and how many more there are.
func Abridge(words []string, n int) string {
	if len(words) > n {
		words = append(words[:n:n], fmt.Sprintf("and %d more", len(words)-n))
	}
	return strings.Join(words, "\n  ")
}
