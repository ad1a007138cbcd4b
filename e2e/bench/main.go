// Command bench measures informerscope's informer beside client-go's in one run,
// on the very same objects and bytes. It measures from a decoded event to its
// handlers, natively and in WebAssembly, and from bytes to handlers in
// WebAssembly. It also measures what the page downloads. WebAssembly runs in one
// headless Chromium. The result is tables of medians and ratios with their
// targets beside them. A target that is missed is shown, and does not fail the
// run; a measurement that goes wrong does.
//
// Ours and client-go's take turns, so that a busy machine slows both.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"informerscope/e2e/bench/feed"
	"informerscope/e2e/bench/harness"
	"informerscope/e2e/bench/pipeline"
	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

//go:embed page
var page embed.FS

// What the ratios should be, client-go's time by ours, and the download.
const (
	syncTarget   = 20.0
	eventsTarget = 5.0
)

var programs = []string{"ours", "clientgo"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	reps := flag.Int("reps", 5, "how often each pair is measured at most; the median counts")
	budget := flag.Duration("budget", 40*time.Second,
		"no repetition of a table begins later than this, half of it for decoded objects; each pair is measured once at least")
	sizes := flag.Bool("sizes", false, "measure only the size of the download")
	native := flag.Bool("native", false, "measure only what needs no browser")
	flag.Parse()
	if *reps < 1 {
		return errors.New("-reps must be at least 1")
	}
	ctx, stop := proc.Limit(10 * time.Minute)
	defer stop()
	if !*sizes {
		results, done, err := alternate(ctx, "native", nativePairings, *reps, *budget/2, measureNative)
		if err != nil {
			return err
		}
		fmt.Printf("from decoded objects to handlers, native %s/%s, %d processors, median of %d\n\n", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), done)
		printPipeline(os.Stdout, nativePairings, results)
		if *native {
			return nil
		}
		if err := speed(ctx, *reps, *budget); err != nil {
			return err
		}
	}
	return size(os.Stdout)
}

// speed measures and prints what runs in the browser.
func speed(ctx context.Context, reps int, budget time.Duration) error {
	dir, err := os.MkdirTemp("", "informerscope-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(ctx, dir); err != nil {
		return err
	}
	base, closeServer, err := serve(dir)
	if err != nil {
		return err
	}
	defer closeServer()
	b, err := browser.Start(ctx, browser.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	p, err := b.Open(ctx, base, 1280, 720)
	if err != nil {
		return err
	}
	defer p.Close()
	for _, program := range programs {
		ms, err := browser.Eval[float64](ctx, p, fmt.Sprintf("load(%q)", program))
		if err != nil {
			return fmt.Errorf("%w\n%v", err, p.Problems())
		}
		fmt.Fprintf(os.Stderr, "%s is loaded and has made its pods after %.1f s\n", program, ms/1000)
	}
	version, err := browser.Eval[string](ctx, p, "navigator.userAgent.match(/Chrome.[0-9.]+/)?.[0] ?? navigator.userAgent")
	if err != nil {
		return err
	}

	inBrowser := func(mine bool, t pipeline.Task) (r pipeline.Result, err error) {
		program := programs[1]
		if mine {
			program = programs[0]
		}
		task, err := json.Marshal(t)
		if err != nil {
			return r, err
		}
		text, err := browser.Eval[string](ctx, p, fmt.Sprintf("measure(%q, %q)", program, task))
		if err != nil {
			return r, fmt.Errorf("%w\n%v", err, p.Problems())
		}
		return r, json.Unmarshal([]byte(text), &r)
	}
	pipelines, rounds, err := alternate(ctx, "browser", wasmPairings, reps, budget/2, inBrowser)
	if err != nil {
		return err
	}
	fmt.Printf("from decoded objects to handlers, WebAssembly in headless %s, median of %d\n\n", version, rounds)
	printPipeline(os.Stdout, wasmPairings, pipelines)

	results := map[string]map[feed.Mode][]harness.Result{"ours": {}, "clientgo": {}}
	begin := time.Now()
	done := 0
	for rep := 0; rep < reps && (rep == 0 || time.Since(begin) < budget); rep++ {
		for _, mode := range []feed.Mode{feed.List, feed.WatchList} {
			for _, program := range programs {
				text, err := browser.Eval[string](ctx, p, fmt.Sprintf("measure(%q, %q)", program, mode))
				if err != nil {
					return fmt.Errorf("%s, %s: %w\n%v", program, mode, err, p.Problems())
				}
				var r harness.Result
				if err := json.Unmarshal([]byte(text), &r); err != nil {
					return err
				}
				results[program][mode] = append(results[program][mode], r)
			}
		}
		done++
		fmt.Fprintf(os.Stderr, "bytes: round %d of %d after %s\n", done, reps, time.Since(begin).Round(time.Second))
	}
	fmt.Printf("from bytes to handlers, WebAssembly in headless %s, median of %d\n\n", version, done)
	printSpeed(os.Stdout, results)
	return nil
}

// build compiles both programs, and puts wasm_exec.js of the same Go beside them.
func build(ctx context.Context, dir string) error {
	e2e, err := layout.E2E()
	if err != nil {
		return err
	}
	for _, program := range programs {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w",
			"-o", filepath.Join(dir, program+".wasm"), "./bench/"+program)
		cmd.Dir = e2e
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", program, err, out)
		}
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT")
	cmd.Dir = e2e
	goroot, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("asking go for GOROOT: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "wasm_exec.js"), text, 0o644)
}

// serve serves the page and what is in dir on a free loopback port.
func serve(dir string) (base string, closeServer func(), err error) {
	static, err := fs.Sub(page, "page")
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(static))
	for _, name := range []string{"ours.wasm", "clientgo.wasm", "wasm_exec.js"} {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, filepath.Join(dir, name)) })
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l)
	}()
	return "http://" + l.Addr().String() + "/", func() { _ = srv.Close(); <-ended }, nil
}
