package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"informerscope/tools/wasmpage/altered"
	"informerscope/tools/wasmpage/determinism"
	"informerscope/tools/wasmpage/size"
	"informerscope/tools/wasmpage/toolchain"
)

func toolchainFor(t *testing.T, dir string) *toolchain.Toolchain {
	t.Helper()
	tc, err := toolchain.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tc.ForPage()
}

// The go command replaces no files beneath GOMODCACHE, and that is where it puts the toolchains that it fetches itself.
func TestAToolchainInTheModuleCacheHasAnotherName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a path with spaces")
	got := toolchainFor(t, dir).Output
	text, err := got("env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	if err := os.MkdirAll(filepath.Join(cache, "golang.org"), 0o755); err != nil {
		t.Fatal(err)
	}
	fetched := filepath.Join(cache, "golang.org", "toolchain@v0.0.1")
	if err := altered.Root(fetched, root); err != nil {
		t.Fatal(err)
	}
	origin, err := toolchainFor(t, t.TempDir()).List("-f", "{{.Module.Dir}}", size.Apimachinery+"/pkg/runtime")
	if err != nil {
		t.Fatal(err)
	}
	modules, _, _ := strings.Cut(filepath.ToSlash(origin[0]), "/k8s.io/")
	t.Setenv("GOROOT", fetched)
	t.Setenv("GOMODCACHE", cache)
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOPROXY", "file://"+modules+"/cache/download")
	tc := toolchainFor(t, dir)
	if tc.Root == fetched || !toolchain.IsFile(filepath.Join(tc.Root, "src", "runtime", "select.go")) {
		t.Errorf("the toolchain in %s is built with as %s", fetched, tc.Root)
	}
	replace := map[string]string{}
	if err := determinism.Prepare(tc, dir, replace); err != nil {
		t.Fatal(err)
	}
	overlay, err := toolchain.WriteOverlay(dir, replace)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tc.Output("build", "-n", "-overlay", overlay, "runtime"); err != nil {
		t.Errorf("the go command does not take the overlay: %v", err)
	}
	// A second build finds the name taken.
	if again := toolchainFor(t, dir); again.Root != tc.Root {
		t.Errorf("the second time it is %s, was %s", again.Root, tc.Root)
	}
}

// Sources that are otherwise than expected cost what was to be made of them and no more: the page is built all the same, and
// one line says what is lost.
func TestSourcesThatAreOtherwise(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	before := program
	defer func() { program = before }()
	program = "informerscope/tools/wasmpage/testdata/least" // its runtime is all of the toolchain that is compiled
	text, err := toolchainFor(t, t.TempDir()).Output("env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name          string
		alter         []map[string]altered.Change
		small, steady bool
		words         []string
	}{
		{"as expected", nil, true, true, nil},
		{"a door is elsewhere", []map[string]altered.Change{altered.Door}, false, true, []string{"larger to download", "regexp/syntax"}},
		{"chance is elsewhere", []map[string]altered.Change{altered.Chance}, true, false, []string{"no exact links", "select.go"}},
		{"both", []map[string]altered.Change{altered.Door, altered.Chance}, false, false,
			[]string{"larger to download", "regexp/syntax", "no exact links", "select.go"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			goroot := filepath.Join(t.TempDir(), "goroot")
			if err := altered.Root(goroot, root, tt.alter...); err != nil {
				t.Fatal(err)
			}
			t.Setenv("GOROOT", goroot)
			work, out := t.TempDir(), t.TempDir()
			tc, err := toolchain.Find(work)
			if err != nil {
				t.Fatal(err)
			}
			got, err := buildPage(tc, work, out, page{small: true, steady: true})
			if err != nil {
				t.Fatal(err)
			}
			if got.small != tt.small || got.steady != tt.steady {
				t.Errorf("built small %v and steady %v, want %v and %v", got.small, got.steady, tt.small, tt.steady)
			}
			words := got.words(tc.Version)
			t.Log(words)
			if (words == "") != (tt.words == nil) || strings.Contains(words, "\n") {
				t.Errorf("said %q", words)
			}
			for _, w := range tt.words {
				if !strings.Contains(words, w) {
					t.Errorf("%q does not say %q", words, w)
				}
			}
			for _, name := range []string{"informerscope.wasm.gz", "wasm_exec.js"} {
				if !toolchain.IsFile(filepath.Join(out, name)) {
					t.Errorf("%s is not there", name)
				}
			}
		})
	}
}

// What looks as expected and yet does not compile is found out by building.
func TestABuildThatFailsIsTriedWithout(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	wasProgram, wasPlace := program, determinism.Places[0]
	defer func() { program, determinism.Places[0] = wasProgram, wasPlace }()
	program = "informerscope/tools/wasmpage/testdata/least"
	determinism.Places[0].New = "j := uint32(theMoon)"
	work := t.TempDir()
	tc, err := toolchain.Find(work)
	if err != nil {
		t.Fatal(err)
	}
	got, err := buildPage(tc, work, t.TempDir(), page{small: true, steady: true})
	if err != nil {
		t.Fatal(err)
	}
	if words := got.words(tc.Version); !got.small || got.steady || !strings.Contains(words, "theMoon") || strings.Contains(words, "download") {
		t.Errorf("built small %v and steady %v, and said %q; want it small, not steady, and the compiler's reason", got.small, got.steady, words)
	}
}

// A mistake in the page's own code is reported once and as it is.
func TestAMistakeOfOursIsNoReasonToBuildPlainly(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	before := program
	defer func() { program = before }()
	program = "informerscope/tools/wasmpage/testdata/mistaken"
	work := t.TempDir()
	tc, err := toolchain.Find(work)
	if err != nil {
		t.Fatal(err)
	}
	got, err := buildPage(tc, work, t.TempDir(), page{small: true, steady: true})
	if err == nil || !strings.Contains(err.Error(), "mistaken.go:") || got.failed != nil || got.large != nil || got.chance != nil {
		t.Errorf("a mistake gives %v, after %v", err, got.failed)
	}
}
