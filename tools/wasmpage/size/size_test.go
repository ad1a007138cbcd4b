package size

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"informerscope/tools/wasmpage/toolchain"
)

// prepare is the toolchain that runs the test, what it replaces with the doors shut, and where.
func prepare(t *testing.T) (tc *toolchain.Toolchain, dir string, replace map[string]string) {
	t.Helper()
	dir = t.TempDir()
	tc = toolchainFor(t, dir)
	replace = map[string]string{}
	if err := Prepare(tc, dir, replace); err != nil {
		t.Fatal(err)
	}
	return tc, dir, replace
}

func toolchainFor(t *testing.T, dir string) *toolchain.Toolchain {
	t.Helper()
	tc, err := toolchain.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tc.ForPage()
}

func TestTheDoorsOfThisToolchainAreClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	tc, dir, replace := prepare(t)
	for module, pkg := range copiedModules {
		origin, err := originDir(tc, pkg)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(dir, "module", filepath.FromSlash(module))
		err = filepath.WalkDir(copied, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			in, err := filepath.Rel(copied, path)
			if text := read(t, path); strings.Contains(text, refusal) || strings.Contains(text, "errDoor") || strings.Contains(text, Hidden) {
				replace[filepath.Join(origin, in)] = path
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	closed := 0
	for original, replacement := range replace {
		got := read(t, replacement)
		if read(t, original) == got {
			t.Errorf("%s is replaced by itself", original)
		}
		closed += strings.Count(got, "errDoor") - strings.Count(got, "var errDoor") + strings.Count(got, "panic("+quote(refusal)+")")
	}
	want := 0
	for _, names := range doors {
		want += len(names)
	}
	if closed != want {
		t.Errorf("%d doors are closed, want %d", closed, want)
	}
}

// A fresh machine's first command may be make run: then no module has been downloaded yet.
func TestModulesAreDownloadedWhereNoneIsYet(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	origin, err := originDir(toolchainFor(t, t.TempDir()), copiedModules[Apimachinery])
	if err != nil {
		t.Fatal(err)
	}
	root, _, found := strings.Cut(filepath.ToSlash(origin), "/k8s.io/")
	if !found {
		t.Fatalf("apimachinery is in %s, not in a cache of modules", origin)
	}
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOPROXY", "file://"+root+"/cache/download")
	prepare(t)
}

func TestTheBuildTakesTheCopiesOfTheModules(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	tc, dir, replace := prepare(t)
	overlay, err := toolchain.WriteOverlay(dir, replace)
	if err != nil {
		t.Fatal(err)
	}
	for module, pkg := range copiedModules {
		got, err := tc.List("-modfile", filepath.Join(dir, "go.mod"), "-f", "{{.Module.Replace.Dir}}", pkg)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(dir, "module", filepath.FromSlash(module)); got[0] != want {
			t.Errorf("%s is built from %s, want %s", module, got[0], want)
		}
	}
	deps, err := tc.List("-overlay", overlay, "-modfile", filepath.Join(dir, "go.mod"), "-deps", "informerscope/wasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"github.com/fxamacker/cbor/v2", "github.com/json-iterator/go", "sigs.k8s.io/structured-merge-diff/v6/value",
		"golang.org/x/net/http2", "go/parser", "crypto/rsa"} {
		if slices.Contains(deps, pkg) {
			t.Errorf("the page still has %s", pkg)
		}
	}
}

func TestAToolchainBuiltOtherwiseIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, pkg := range []string{"net", Apimachinery + "/pkg/util/net"} {
		before := doors[pkg]
		doors[pkg] = append(slices.Clone(before), "Dialer.DialTheMoon")
		dir := t.TempDir()
		err := Prepare(toolchainFor(t, dir), dir, map[string]string{})
		doors[pkg] = before
		if err == nil || !strings.Contains(err.Error(), pkg) {
			t.Errorf("a door of %s that is missing was not missed: %v", pkg, err)
		}
	}
}

func TestSilence(t *testing.T) {
	const source = `package p

import (
	"crypto/rsa"
	"io"
	"math/rand/v2"
	"strings"
)

func Shut(r io.Reader) (a, b int, s strings.Builder, err error) { return 1, rand.Int(), s, io.EOF }

func Silent() { println() }

func far() any { return &rsa.PublicKey{} }

func Takes(key *rsa.PublicKey) {}

func init() { println(rand.Int()) }

func init() { println(2) }

var selfTest = once(func() { println(rand.Int()) })

func shadow(rsa io.Closer) error { return rsa.Close() }
`
	const want = `package p

import (
	"io"

	"strings"
)

func Shut(r io.Reader) (a, b int, s strings.Builder, err error) {
	return *new(int), *new(int), *new(strings.Builder), errDoor
}

func Silent() { panic("left out of the page, which never does this") }

func far() any { panic("behind a door that is shut in the page") }

var selfTest func()

func shadow(rsa io.Closer) error { return rsa.Close() }
`
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	got, found, left, err := silence(file, []string{"Shut", "Silent"}, []string{"init", "selfTest"}, true, false)
	if err != nil || found != 2 || left != 3 {
		t.Fatalf("found %d doors and %d idle initialisers, want 2 and 3: %v", found, left, err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func quote(s string) string { return `"` + s + `"` }
