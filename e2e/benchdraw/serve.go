package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/andybalholm/brotli"

	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
	"informerscope/web"
)

// path is that of a file named from this directory.
func path(name string) (string, error) {
	dir, err := layout.E2E()
	return filepath.Join(dir, "benchdraw", filepath.FromSlash(name)), err
}

// install has npm install the libraries of the lock file, if they are not there.
func install(ctx context.Context) error {
	for _, way := range ways {
		for _, file := range way.library {
			at, err := path(file)
			if err != nil {
				return err
			}
			if _, err := os.Stat(at); err == nil {
				continue
			}
			cmd := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
			if cmd.Dir, err = path("page"); err != nil {
				return err
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("npm ci in e2e/benchdraw/page (it needs Node.js with npm): %w\n%s", err, proc.Tail(out, 20))
			}
		}
	}
	return nil
}

// serve serves the benchmark's page, the page's own files and the moments, as the page is served. The headers besides let the
// browser's clock be exact.
func serve(moments []byte) (url string, closeServer func(), err error) {
	page, err := path("page")
	if err != nil {
		return "", nil, err
	}
	root, err := layout.Root()
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(page)))
	mux.Handle("/web/", http.StripPrefix("/web/", http.FileServer(http.Dir(filepath.Join(root, "web")))))
	mux.HandleFunc("/moments.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(moments)
	})
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", web.Policy)
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		mux.ServeHTTP(w, r)
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go func() { _ = srv.Serve(l) }() // until it is closed
	return "http://" + l.Addr().String(), func() { srv.Close() }, nil
}

// weigh returns how many lines of code a file has, without comments and empty lines, and how many bytes as brotli makes it at its best.
func weigh(name string) (lines, size int, err error) {
	at, err := path(name)
	if err != nil {
		return 0, 0, err
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("*")) && !bytes.HasPrefix(line, []byte("/*")) {
			lines++
		}
	}
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	if _, err := w.Write(text); err != nil {
		return 0, 0, err
	}
	if err := w.Close(); err != nil {
		return 0, 0, err
	}
	return lines, out.Len(), nil
}
