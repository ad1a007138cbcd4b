package webdriver

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"informerscope/e2e/internal/gate"
)

//go:embed probe.js
var probe string

// probePath is the path of the script that a document loads first.
const probePath = "/.informerscope-e2e-probe.js"

// through are the gate's options that add the probe to documents and workers, and record errors of servers.
func (b *Browser) through() gate.Options {
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
			}
		},
		Change: func(resp *http.Response) error {
			if resp.StatusCode >= 400 {
				b.AddProblem("request", "page", fmt.Sprint(resp.Request.URL, " ", resp.StatusCode))
			}
			if !carries(resp.Request) || resp.StatusCode != http.StatusOK {
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				return err
			}
			resp.Body.Close()
			at, added := 0, probe
			if resp.Request.Header.Get("Sec-Fetch-Dest") == "document" {
				// After the doctype, which must come first, and before the page's own scripts.
				at, added = bytes.IndexByte(body, '>')+1, `<script src="`+probePath+`"></script>`
			}
			resp.Body = io.NopCloser(bytes.NewReader(slices.Concat(body[:at], []byte(added), body[at:])))
			resp.Header.Del("Content-Length")
			resp.Header.Set("Cache-Control", "no-store")
			return nil
		},
	}
}

// carries reports whether the answer to a request gets the probe.
func carries(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return dest == "worker" || dest == "document" && strings.Contains(r.Header.Get("Accept"), "text/html")
}
