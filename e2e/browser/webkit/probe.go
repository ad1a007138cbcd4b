package webkit

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/gate"
)

//go:embed probe.js
var probe string

// probePath is the path of the script that a document loads first.
const probePath = "/.informerscope-e2e-probe.js"

// through are the gate's options that add the probe to documents and workers, and record errors of servers.
func (w *WebKit) through() gate.Options {
	return gate.Options{
		Answer: func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != probePath {
				return false
			}
			rw.Header().Set("Content-Type", "text/javascript")
			rw.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
			_, _ = io.WriteString(rw, probe)
			return true
		},
		Ask: func(r *http.Request) {
			if carries(r) {
				r.Header.Del("Accept-Encoding")
				r.Header.Del("If-None-Match")
				r.Header.Del("If-Modified-Since")
			}
		},
		Change: func(resp *http.Response) error {
			if resp.StatusCode >= 400 {
				w.add(browser.Problem{Kind: "request", Where: "page", Text: fmt.Sprint(resp.Request.URL, " ", resp.StatusCode)})
			}
			if !carries(resp.Request) || resp.StatusCode != http.StatusOK {
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				return err
			}
			resp.Body.Close()
			if resp.Request.Header.Get("Sec-Fetch-Dest") == "document" {
				body = withScript(body)
			} else {
				body = append([]byte(probe), body...)
			}
			resp.Body = io.NopCloser(bytes.NewReader(body))
			resp.ContentLength = int64(len(body))
			resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
			resp.Header.Set("Cache-Control", "no-store")
			return nil
		},
	}
}

// carries reports whether the answer to a request gets the probe.
func carries(r *http.Request) bool {
	switch dest := r.Header.Get("Sec-Fetch-Dest"); dest {
	case "worker":
		return true
	default:
		return dest == "document" && strings.Contains(r.Header.Get("Accept"), "text/html")
	}
}

// withScript is a document that loads the probe before anything else.
func withScript(html []byte) []byte {
	script := []byte(`<script src="` + probePath + `"></script>`)
	if before, after, ok := bytes.Cut(html, []byte("<head>")); ok {
		return bytes.Join([][]byte{before, []byte("<head>"), script, after}, nil)
	}
	return append(script, html...)
}
