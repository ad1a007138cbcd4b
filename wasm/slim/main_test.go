package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheDoorsOfThisToolchainAreClosed(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "overlay.json"))
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	origin, err := originDir()
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, "module")
	err = filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		in, err := filepath.Rel(module, path)
		if strings.Contains(read(t, path), "errDoor") || strings.Contains(read(t, path), hidden) {
			overlay.Replace[filepath.Join(origin, in)] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	for original, replacement := range overlay.Replace {
		is := read(t, replacement)
		if read(t, original) == is {
			t.Errorf("%s is replaced by itself", original)
		}
		closed += strings.Count(is, "errDoor\n") + strings.Count(is, "panic("+quoted(refusal)+")")
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
	origin, err := originDir()
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
	if err := run(t.TempDir()); err != nil {
		t.Fatal(err)
	}
}

func TestTheBuildTakesTheCopyOfTheModule(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	got, err := list("-modfile", filepath.Join(dir, "go.mod"), "-f", "{{.Dir}}", apimachinery+"/pkg/runtime")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "module", "pkg", "runtime"); got[0] != want {
		t.Errorf("apimachinery is built from %s, want %s", got[0], want)
	}
	deps, err := list("-overlay", filepath.Join(dir, "overlay.json"), "-modfile", filepath.Join(dir, "go.mod"), "-deps", "informerscope/wasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"github.com/fxamacker/cbor/v2", "github.com/json-iterator/go", "sigs.k8s.io/structured-merge-diff/v6/value", "golang.org/x/net/http2", "go/parser", "crypto/rsa"} {
		if slices.Contains(deps, pkg) {
			t.Errorf("the page still has %s", pkg)
		}
	}
}

func TestAToolchainBuiltOtherwiseIsRefused(t *testing.T) {
	for _, pkg := range []string{"net", apimachinery + "/pkg/util/net"} {
		was := doors[pkg]
		doors[pkg] = append(slices.Clone(was), "Dialer.DialTheMoon")
		err := run(t.TempDir())
		doors[pkg] = was
		if err == nil || !strings.Contains(err.Error(), pkg) {
			t.Errorf("a door of %s that is missing was not missed: %v", pkg, err)
		}
	}
}

func TestARuntimeBuiltOtherwiseIsRefused(t *testing.T) {
	was := steady[0]
	defer func() { steady[0] = was }()
	steady[0].old = "j := theMoon()"
	if err := writeOverlay(t.TempDir(), map[string]string{}); err == nil || !strings.Contains(err.Error(), "select.go") {
		t.Errorf("chance that is elsewhere was not missed: %v", err)
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

func Silent() { panic("left out of the page (see wasm/slim)") }

func far() any { panic("behind a shut door of wasm/slim") }

func shadow(rsa io.Closer) error { return rsa.Close() }
`
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	got, found, err := silence(file, []string{"Shut", "Silent"}, true, false)
	if err != nil || found != 2 {
		t.Fatalf("found %d doors, want 2: %v", found, err)
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

func quoted(s string) string { return `"` + s + `"` }
