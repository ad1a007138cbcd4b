package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A copy of this repository is renamed, and its three modules are published where the go command finds them. Modules elsewhere require them: they
// resolve to the published versions, build, pass their tests, and see a controller's informer.
func TestRename(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	const (
		from    = "example.org/informerscope/probe"
		to      = "example.com/owner/scope/probe"
		version = "v0.1.0"
	)
	root, tree := filepath.Join("..", ".."), t.TempDir()
	in := func(dir string, env []string, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off", "GOSUMDB=off"), env...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, said.String())
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := func(dir string) []string {
		return strings.Split(strings.TrimRight(in(dir, nil, "git", "ls-files", "-co", "--exclude-standard", "-z"), "\x00"), "\x00")
	}
	for _, name := range files(root) {
		if text, err := os.ReadFile(filepath.Join(root, name)); err == nil { // git still knows a file that was removed
			write(filepath.Join(tree, name), string(text))
		}
	}
	in(tree, nil, "git", "init", "-q")
	for _, bad := range []string{"", "probe", "https://example.com/x/probe", "example.com/a b", from} {
		if _, err := rename(tree, bad, version); err == nil {
			t.Errorf("%q was taken for a path", bad)
		}
	}
	for _, bad := range []string{"1.0.0", "v1", "v2.0.0", "v1.0.0 x"} {
		if _, err := rename(tree, to, bad); err == nil {
			t.Errorf("%q was taken for a version", bad)
		}
	}
	changed, err := rename(tree, to, version)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rename(tree, to, version); err == nil {
		t.Error("it was renamed to what it is")
	}
	if len(changed) < 8 {
		t.Errorf("only %v changed", changed)
	}
	all := files(tree)
	old := regexp.MustCompile(`(^|[^A-Za-z0-9._~/-])` + from + `([^A-Za-z0-9_-]|$)`)
	for _, name := range all {
		text, err := os.ReadFile(filepath.Join(tree, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, "tools/renamemodule/") && old.Match(text) {
			t.Errorf("%s still has the old path", name)
		}
	}

	// The module simtest requires the probe too, and builds with the one beside it.
	simtest, err := os.ReadFile(filepath.Join(tree, "simtest", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\t" + to + " " + version + "\n", "\t" + to + " => ../probe\n"} {
		if !strings.Contains(string(simtest), want) {
			t.Errorf("simtest/go.mod lacks %q", want)
		}
	}
	in(filepath.Join(tree, "simtest"), nil, "go", "build", ".")

	// Published: each module as the go command fetches it, in a folder that serves as a proxy.
	proxy, cache := t.TempDir(), t.TempDir()
	folders := []string{"probe", "probe/metrics", "probe/controllerruntime"}
	for _, folder := range folders {
		module := to + strings.TrimPrefix(folder, "probe")
		mod, err := os.ReadFile(filepath.Join(tree, folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(mod), "module "+module+"\n") {
			t.Errorf("%s/go.mod names another module than %s", folder, module)
		}
		var packed bytes.Buffer
		archive := zip.NewWriter(&packed)
		for _, name := range all {
			below, ok := strings.CutPrefix(name, folder+"/")
			if !ok || folder == "probe" && (strings.HasPrefix(below, "metrics/") || strings.HasPrefix(below, "controllerruntime/")) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(tree, name))
			if err != nil {
				t.Fatal(err)
			}
			w, err := archive.Create(module + "@" + version + "/" + below)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(text); err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(proxy, filepath.FromSlash(module), "@v", version)
		write(at+".info", fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version))
		write(at+".mod", string(mod))
		write(at+".zip", packed.String())
	}
	// A module cache of its own, so that nothing of this stays behind. Other modules come from the machine's cache.
	real := in(root, nil, "go", "env", "GOMODCACHE")
	proxies := []string{"file://" + filepath.ToSlash(proxy), "file://" + filepath.ToSlash(real) + "/cache/download", in(root, nil, "go", "env", "GOPROXY")}
	fetching := []string{"GOMODCACHE=" + cache, "GOPROXY=" + strings.Join(proxies, ","), "GOFLAGS=-mod=mod -modcacherw"}

	elsewhere := func(requires ...string) string {
		dir := t.TempDir()
		text := "module elsewhere\n\ngo 1.23.0\n"
		for _, r := range requires {
			text += "require " + r + "\n"
		}
		write(filepath.Join(dir, "go.mod"), text)
		return dir
	}
	// A module that requires one of the other two gets a probe that is published.
	for _, folder := range folders {
		module := to + strings.TrimPrefix(folder, "probe")
		resolved := in(elsewhere(module+" "+version), fetching, "go", "list", "-m", "all")
		for _, want := range []string{module + " " + version, to + " " + version} {
			if !strings.Contains(resolved+"\n", want+"\n") {
				t.Errorf("a module that requires %s does not get %s, but\n%s", module, want, resolved)
			}
		}
	}
	// Build from what was fetched, with the libraries in the machine's cache, which are compiled already.
	published := func(requires ...string) string {
		dir := elsewhere(requires...)
		for _, folder := range folders {
			var is struct{ Dir string }
			module := to + strings.TrimPrefix(folder, "probe")
			if err := json.Unmarshal([]byte(in(dir, fetching, "go", "mod", "download", "-json", module+"@"+version)), &is); err != nil {
				t.Fatal(err)
			}
			in(dir, nil, "go", "mod", "edit", "-replace="+module+"="+is.Dir)
		}
		return dir
	}
	building := []string{"GOFLAGS=-mod=mod"}
	dir := published(to + " " + version)
	in(dir, building, "go", "vet", to)
	in(dir, building, "go", "test", "-timeout", "5m", to)
	dir = published(to+"/metrics "+version, to+"/controllerruntime "+version)
	in(dir, building, "go", "vet", to+"/metrics", to+"/controllerruntime")

	// A controller, with a newer client-go than the probe's.
	dir = published(to+" "+version, "k8s.io/client-go v0.37.2")
	program, err := fs.ReadFile(os.DirFS(tree), "e2e/testdata/probedalone/main.go")
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(dir, "main.go"), string(program))
	in(dir, building, "go", "build", "-o", "probedalone", ".")
	var is struct {
		Release string
		Kinds   map[string]int
		Off     map[string]string
	}
	if err := json.Unmarshal([]byte(in(dir, nil, filepath.Join(dir, "probedalone"))), &is); err != nil {
		t.Fatal(err)
	}
	if is.Release != "1.37" || len(is.Off) > 0 || is.Kinds["StoreAdded"] == 0 || is.Kinds["Handled"] == 0 {
		t.Errorf("the controller's probe says: %+v", is)
	}
}
