package tools_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestBrowsersTell tests the tests: each browser reports what goes wrong in a page or in its worker, and reports nothing of a clean page.
func TestBrowsersTell(t *testing.T) {
	policy := "default-src 'none'; script-src 'self' 'nonce-x'; worker-src 'self'; img-src 'self'"
	script := func(s string) string { return "<!doctype html><title>x</title><script nonce=x>" + s + "</script>" }
	tests := []struct {
		name, html, worker string
		want               string // part of a problem; "" for none
	}{
		{"well", script(`console.log("fine"); new Worker("w.js")`), `console.log("fine"); postMessage(1)`, ""},
		{"console error", script(`console.error("woe", 7)`), "", "woe 7"},
		{"exception", script(`setTimeout(() => { throw new TypeError("thrown"); })`), "", "TypeError: thrown"},
		{"rejection", script(`Promise.reject(new Error("rejected"))`), "", "Error: rejected"},
		{"missing file", script(`const s = document.createElement("script"); s.src = "missing.js"; document.head.append(s)`), "", "missing.js"},
		{"policy", script(`const s = document.createElement("script"); s.textContent = "1"; document.head.append(s)`), "", "Policy"},
		{"worker exception", script(`new Worker("w.js")`), `setTimeout(() => { throw new Error("in the worker"); })`, "in the worker"},
		{"worker console", script(`new Worker("w.js")`), `console.error("worker woe")`, "worker woe"},
		{"worker rejection", script(`new Worker("w.js")`), `Promise.reject(new Error("worker rejected"))`, "worker rejected"},
		{"go panic", script(`new Worker("w.js")`), `console.log("panic: lost")`, "panic: lost"},
	}
	eachEngine(t, func(t *testing.T, v *visitor) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				v := v.forTest(t)
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Security-Policy", policy)
					switch r.URL.Path {
					case "/":
						w.Header().Set("Content-Type", "text/html; charset=utf-8")
						_, _ = w.Write([]byte(tt.html))
					case "/w.js":
						w.Header().Set("Content-Type", "text/javascript")
						_, _ = w.Write([]byte(tt.worker))
					case "/favicon.ico":
						w.WriteHeader(http.StatusNoContent)
					default:
						http.NotFound(w, r)
					}
				}))
				// The browser may keep a connection open.
				t.Cleanup(srv.CloseClientConnections)
				t.Cleanup(srv.Close)
				if err := v.engine.Open(harness.Timeout(t, 30*time.Second), srv.URL+"/"); err != nil {
					t.Fatal(err)
				}
				var got []browser.Problem
				tells := func(want string) bool {
					for _, p := range got {
						if strings.Contains(p.Text, want) {
							return true
						}
					}
					return false
				}
				// Each evaluation is a round trip through the page, so problems can arrive meanwhile.
				for deadline := time.Now().Add(20 * time.Second); ; {
					evalIn[bool](v, "new Promise((done) => requestAnimationFrame(() => done(true)))")
					problems, err := v.engine.Problems(harness.Timeout(t, 30*time.Second))
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, problems...)
					if tt.want == "" || tells(tt.want) || time.Now().After(deadline) {
						break
					}
				}
				if tt.want == "" && len(got) > 0 {
					t.Errorf("a page that is well has problems: %v", got)
				} else if tt.want != "" && !tells(tt.want) {
					t.Errorf("told are %v, want one that says %q", got, tt.want)
				}
			})
		}
		// Requests to other machines are refused and reported.
		if v.name == "chromium" {
			return // Chromium uses no gate
		}
		t.Run("outside", func(t *testing.T) {
			v := v.forTest(t)
			_ = v.engine.Open(harness.Timeout(t, 30*time.Second), "http://informerscope.invalid/")
			problems, err := v.engine.Problems(harness.Timeout(t, 30*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range problems {
				if p.Kind == "outside" && strings.Contains(p.Text, "informerscope.invalid") {
					return
				}
			}
			t.Errorf("a page was asked of another machine, and told is %v", problems)
		})
	})
}
