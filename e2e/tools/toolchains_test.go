package tools_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
	"informerscope/tools/wasmpage/altered"
)

var toolchains = flag.String("toolchains", "", `which toolchains TestToolchains builds the page with: "some" or "all"`)

// toolchainPods is how many pods the live cluster has that each page is opened on.
const toolchainPods = 12

// toolchain is a way to build the page, and what the page then lacks.
type toolchain struct {
	name  string
	env   []string // of make
	flags string   // flags of tools/wasmpage
	// large: it has more to download. inexact: links are not exact.
	large, inexact bool
}

// TestToolchains builds the page as people do: with the installed Go, with one that the go command fetches, and with one whose sources are unknown.
// It opens each page on a real cluster and on the simulated one. All adds the newest Go, and other unknown sources.
func TestToolchains(t *testing.T) {
	if *toolchains == "" {
		t.Skip("builds the standard library for each toolchain: make toolchains, make toolchains-all")
	}
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	// The Go that replaces the page's must be there.
	if _, err := harness.BuildServer(); err != nil {
		t.Fatal(err)
	}
	all := *toolchains == "all"
	list := []toolchain{{name: "installed"}}
	for _, v := range fetch(t, root, all) {
		list = append(list, toolchain{name: v, env: []string{"GOTOOLCHAIN=" + v}})
	}
	list = append(list, makeUnknown(t, root, "unknown scheduler", toolchain{inexact: true}, altered.Chance))
	if all {
		list = append(list,
			makeUnknown(t, root, "unknown library", toolchain{large: true}, altered.Door),
			makeUnknown(t, root, "plain", toolchain{large: true, inexact: true}, altered.Chance, altered.Door))
	}
	cp := cluster.StartForTest(t, cluster.Options{})
	if err := cluster.PopulatePods(t.Context(), cp.Client(), toolchainPods, 4); err != nil {
		t.Fatal(err)
	}
	b := browser.StartForTest(t)
	first := map[string]harness.Story{} // by release: 1.26, 1.27
	for _, tc := range list {
		t.Run(tc.name, func(t *testing.T) {
			page, goVersion, words, took, work := buildPage(t, root, tc)
			info, err := os.Stat(filepath.Join(page, "informerscope.wasm.gz"))
			if err != nil {
				t.Fatal(err)
			}
			lost := "nothing is lost"
			switch {
			case tc.large && tc.inexact:
				lost = "lost: size, exact links"
			case tc.large:
				lost = "lost: size"
			case tc.inexact:
				lost = "lost: exact links"
			}
			t.Logf("page built by %s (%s) in %.0f s, %.0f s of the processors: %.1f MB, %s", tc.name, goVersion, took.Seconds(), work.Seconds(),
				float64(info.Size())/1e6, lost)
			t.Logf("make said: %q", words)
			program := serverWith(t, root, page, tc.env)
			srv := harness.StartProgram(t, program, "--modules", "--listen=127.0.0.1:0", "--kubeconfig="+cp.Kubeconfig)
			openLive(t, b, srv)
			played := openBuilt(t, b, srv, tc, goVersion)
			if tc.inexact {
				return
			}
			// A link is exact between pages built with the same release.
			release := version.Lang(goVersion)
			if before, ok := first[release]; !ok {
				first[release] = played
			} else if played.Hash != before.Hash || played.Events != before.Events {
				t.Errorf("the same link plays a log of %d events with hash %s, with another %s %d and %s", played.Events, played.Hash, release, before.Events, before.Hash)
			}
		})
	}
}

// fetch makes the go command fetch the toolchains to test: the one of go.mod, which users with an older Go get, and with All the newest release. One
// that is not available is left out, with the reason.
func fetch(t *testing.T, root string, all bool) (versions []string) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)
	if line == nil {
		t.Fatal("go.mod names no version of Go")
	}
	installed := strings.TrimSpace(goCommand(t, root, nil, "env", "GOVERSION"))
	want := []string{"go" + string(line[1])}
	if all || want[0] == installed {
		if newest, err := newestRelease(root); err != nil {
			t.Logf("left out: the newest release of Go, since the module proxy does not say which it is: %v", err)
		} else {
			want = append(want, newest)
		}
	}
	for _, v := range slices.Compact(want) {
		if v == installed {
			continue // it is installed there, and the go command would not fetch it
		}
		out, err := goOutput(root, []string{"GOTOOLCHAIN=" + v}, "env", "GOROOT", "GOMODCACHE")
		if err != nil {
			t.Logf("left out: %s, which cannot be fetched: %v", v, err)
			continue
		}
		if at := strings.Split(strings.TrimSpace(out), "\n"); len(at) != 2 || !strings.HasPrefix(at[0], at[1]) {
			t.Errorf("%s was fetched into %q, not beneath GOMODCACHE", v, out)
		}
		versions = append(versions, v)
	}
	return versions
}

// newestRelease asks the module proxy for the newest Go for this machine; a release candidate counts only if there is nothing else.
func newestRelease(root string) (string, error) {
	out, err := goOutput(root, nil, "list", "-m", "-versions", "golang.org/toolchain")
	if err != nil {
		return "", err
	}
	newest := ""
	released := func(v string) bool { return !strings.Contains(v, "rc") && !strings.Contains(v, "beta") }
	for _, word := range strings.Fields(out) {
		v, ok := strings.CutSuffix(word, "."+runtime.GOOS+"-"+runtime.GOARCH)
		v, found := strings.CutPrefix(v, "v0.0.1-")
		if !ok || !found || !version.IsValid(v) {
			continue
		}
		if newest == "" || released(v) && !released(newest) || released(v) == released(newest) && version.Compare(v, newest) > 0 {
			newest = v
		}
	}
	if newest == "" {
		return "", fmt.Errorf("the module proxy has no Go for %s-%s", runtime.GOOS, runtime.GOARCH)
	}
	return newest, nil
}

// makeUnknown is the installed toolchain with sources that tools/wasmpage does not know.
func makeUnknown(t *testing.T, root, name string, tc toolchain, changes ...map[string]altered.Change) toolchain {
	t.Helper()
	goroot, err := filepath.EvalSymlinks(strings.TrimSpace(goCommand(t, root, nil, "env", "GOROOT")))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "go")
	if err := altered.Root(dir, goroot, changes...); err != nil {
		t.Fatal(err)
	}
	// tools/wasmpage itself runs with the installed Go: its own build is not tested here.
	tc.name, tc.flags = name, "-goroot "+dir
	return tc
}

// goEnv is this process's environment, without what go test adds about its toolchain.
func goEnv(env []string) []string {
	kept := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOROOT=") || strings.HasPrefix(v, "GOTOOLCHAIN_INTERNAL_") || strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS=")
	})
	return append(append(kept, "GOWORK=off"), env...)
}

func goOutput(root string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, goEnv(env)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", errors.New(strings.Join(strings.Fields(string(exit.Stderr)), " "))
	}
	return string(out), err
}

func goCommand(t *testing.T, root string, env []string, args ...string) string {
	t.Helper()
	out, err := goOutput(root, env, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// buildPage builds the page as a person would. It returns its directory, the Go that built it, the output of make, and the time that it took, of the
// clock and of the processors.
func buildPage(t *testing.T, root string, tc toolchain) (page, goVersion, words string, took, work time.Duration) {
	t.Helper()
	goVersion = strings.TrimSpace(goCommand(t, root, tc.env, "env", "GOVERSION"))
	page = filepath.Join("bin", "toolchains", strings.ReplaceAll(tc.name, " ", "-"))
	if err := os.RemoveAll(filepath.Join(root, page)); err != nil {
		t.Fatal(err)
	}
	if !tc.large && !tc.inexact {
		tc.flags += " -strict"
	}
	args := []string{"wasm", "PAGE=" + page, "WASM_FLAGS=" + tc.flags}
	cmd := exec.Command("make", args...)
	cmd.Dir, cmd.Env = root, goEnv(tc.env)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make %s: %v\n%s", strings.Join(args, " "), err, proc.Tail(out, 40))
	}
	took, work = time.Since(began), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "go run ") || strings.HasPrefix(line, "go: downloading ") || strings.HasPrefix(line, "make") {
			continue
		}
		if words != "" {
			t.Errorf("make says more than one line: %s", line)
		}
		words = strings.TrimSpace(line)
	}
	if large, inexact := strings.Contains(words, "larger to download"), strings.Contains(words, "no exact links"); large != tc.large || inexact != tc.inexact {
		t.Errorf("make says %q; want that it is large: %v, that links are not exact: %v", words, tc.large, tc.inexact)
	}
	return filepath.Join(root, page), goVersion, words, took, work
}

// serverWith is the server with a page from another directory than web, built with env like the page.
func serverWith(t *testing.T, root, page string, env []string) (program string) {
	t.Helper()
	// That program does not lie as brotli.
	replace := map[string]string{filepath.Join(root, "web", "informerscope.wasm.br"): ""}
	for _, name := range []string{"informerscope.wasm.gz", "wasm_exec.js"} {
		replace[filepath.Join(root, "web", name)] = filepath.Join(page, name)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(t.TempDir(), "informerscope")
	goCommand(t, root, env, "build", "-trimpath", "-overlay", overlay, "-o", program, "./server")
	return program
}

// openLive opens a page on the real cluster, as the link of --context does.
func openLive(t *testing.T, b *browser.Browser, srv *harness.Server) {
	t.Helper()
	page := b.OpenForTest(t, srv.URL+"&source=live&resource=pods&lang=en&context="+cluster.ContextName, 1280, 720)
	harness.Await(t, page, 2*time.Minute,
		"s.source.kind === 'live' && s.queue.synced && s.reflector.phase === 'watching' && s.indexer.count === %d && !s.source.trouble",
		toolchainPods)
	page.ExpectClean(t)
}

// openBuilt opens a page on the simulated cluster and follows a link there. The page shares the moment as exactly as its build can.
func openBuilt(t *testing.T, b *browser.Browser, srv *harness.Server, tc toolchain, goVersion string) harness.Story {
	t.Helper()
	const link = "&source=sim&seed=7&objects=120&rate=40&era=1.31&do=900:hold:pop,1000:burst:200,2500:fault:410,5000:release:pop&at=9000&go=1.0&lang=en"
	page := b.OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.CatchFiles); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&source=sim&seed=7&lang=en"); err != nil {
		t.Fatal(err)
	}
	s := harness.Await(t, page, 2*time.Minute, "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'")
	harness.Await(t, page, time.Minute, "s.seq > %d", s.Seq+20)
	harness.EvalIn[bool](t, page, `(location.hash = %q, true)`, srv.URL[strings.Index(srv.URL, "#")+1:]+link)
	harness.Await(t, page, 2*time.Minute, "s.view.mode === 'paused' && s.seq === 9000")
	if tc.inexact {
		harness.WaitUntil(t, page, `__files.said().includes("built without exact links")`)
	} else {
		harness.WaitUntil(t, page, `__files.said().includes("was built with Go 1.0, this one with Go `+strings.TrimPrefix(version.Lang(goVersion), "go")+`")`)
	}
	played := harness.EvalIn[harness.Story](t, page, harness.Tell, false)
	harness.Share(t, page, 0)
	if tc.inexact {
		harness.WaitUntil(t, page, `__files.names.length === 1 && __files.said().includes("saved as a file")`)
		if copied := harness.EvalIn[string](t, page, "__files.copied"); copied != "" {
			t.Errorf("a page without exact links copies the link %s", copied)
		}
		if name := harness.EvalIn[string](t, page, "__files.names[0]"); !strings.HasSuffix(name, "-at9000.jsonl") {
			t.Errorf("the moment is saved as %s", name)
		}
		harness.Shot(t, page, "no-exact-links")
	} else {
		harness.WaitUntil(t, page, `__files.copied.includes("at=9000") && __files.copied.includes("go=`+strings.TrimPrefix(version.Lang(goVersion), "go")+`")`)
		if said := harness.EvalIn[string](t, page, "__files.said()"); !strings.Contains(said, "Link copied") {
			t.Errorf("the page says %q", said)
		}
	}
	page.ExpectClean(t)
	return played
}
