package harness

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// BuildServer returns the server's program with the page inside. Each package of tests builds its own, because packages run at the same time.
var BuildServer = sync.OnceValues(func() (string, error) {
	root, err := layout.Root()
	if err != nil {
		return "", err
	}
	dir, err := layout.Artifacts(filepath.Base(os.Args[0]))
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "informerscope")
	for _, args := range [][]string{{"make", "wasm"}, {"go", "build", "-o", program, "./server"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, proc.Tail(out, 40))
		}
	}
	const sim = "informerscope-sim" // make sim builds it; the server finds it beside itself
	if err := os.Remove(filepath.Join(dir, sim)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return program, os.Symlink(filepath.Join(root, "bin", sim), filepath.Join(dir, sim))
})

// Server is a running informerscope server.
type Server struct {
	*proc.Process
	// URL opens the page; it ends with the token's fragment.
	URL string
}

// OpenLine matches the line in which the server prints its address.
var OpenLine = regexp.MustCompile(`^informerscope: open (http://\S+/#token=\S+)$`)

// StartServer starts the server with args and waits for the address that it prints. It is stopped at the end of the test; a failed test shows its log.
func StartServer(t *testing.T, args ...string) *Server {
	t.Helper()
	program, err := BuildServer()
	if err != nil {
		t.Fatal(err)
	}
	return StartProgram(t, program, args...)
}

// StartModules is StartServer for a test that imports a module of the page: it serves them as they are written, which takes the browser longer.
func StartModules(t *testing.T, args ...string) *Server {
	t.Helper()
	return StartServer(t, append([]string{"--modules"}, args...)...)
}

// StartProgram is StartServer for a given program.
func StartProgram(t *testing.T, program string, args ...string) *Server {
	t.Helper()
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	// The log is appended to, so skip an earlier run's.
	os.Remove(filepath.Join(dir, "server.log"))
	out, in := io.Pipe()
	p, err := proc.Start("server", dir, program, in, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(5 * time.Second)
		in.Close()
		if t.Failed() {
			t.Logf("the server's last words:\n%s", p.LogTail(20))
		}
	})
	lines := make(chan string, 1)
	go func() {
		scanner := bufio.NewScanner(out)
		if scanner.Scan() {
			lines <- scanner.Text()
		}
		// Later output must not block it.
		_, _ = io.Copy(io.Discard, out)
	}()
	select {
	case line := <-lines:
		m := OpenLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("the server's first line is %q, want one like informerscope: open http://127.0.0.1:8080/#token=...", line)
		}
		return &Server{Process: p, URL: m[1]}
	case <-p.Done:
		t.Fatalf("the server exited:\n%s", p.LogTail(20))
	case <-time.After(2 * time.Minute): // a served cluster starts first
		t.Fatal("the server printed no address within 2 min")
	}
	return nil
}

// Timeout returns the context of a step that may take at most d.
func Timeout(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, fmt.Errorf("the step took more than %s", d))
	t.Cleanup(cancel)
	return ctx
}

// Await waits until predicate, an expression of s, holds for informerscope.state().
func Await(t *testing.T, p *browser.Page, d time.Duration, predicate string, args ...any) browser.State {
	t.Helper()
	s, err := p.WaitState(Timeout(t, d), fmt.Sprintf(predicate, args...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Call calls a function of globalThis.informerscope, given as an expression without its object, such as fault("cut").
func Call(t *testing.T, p *browser.Page, expression string, args ...any) {
	t.Helper()
	script := fmt.Sprintf(`(async () => { await informerscope.ready; await informerscope.`+expression+`; return true; })()`, args...)
	if _, err := browser.Eval[bool](Timeout(t, 30*time.Second), p, script); err != nil {
		t.Fatal(err)
	}
}

// What [Pause] calls, and what then becomes true of the page.
const (
	PauseCall   = "pause().then(() => informerscope.state()).then((s) => informerscope.seek(s.seq))"
	PausedWhole = "informerscope.drawn().every((x) => !x.painted?.reached)"
)

// Pause stops the view, and waits until the page shows one moment whole.
func Pause(t *testing.T, p *browser.Page) {
	t.Helper()
	Call(t, p, PauseCall)
	if err := p.WaitFor(Timeout(t, 30*time.Second), PausedWhole, "JSON.stringify(informerscope.drawn().map((x) => x.painted))"); err != nil {
		t.Fatal(err)
	}
}

// Shot keeps a screenshot of the page among the test's artefacts.
func Shot(t *testing.T, p *browser.Page, name string) {
	t.Helper()
	if _, err := p.Screenshot(Timeout(t, 30*time.Second), name); err != nil {
		t.Error(err)
	}
}

// Go runs the go command in a directory with a module of its own, and returns its output.
func Go(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(Timeout(t, 30*time.Minute), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
