package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var all = flag.Bool("dist.all", false, "build every platform's archive, and one again elsewhere and from nothing (make dist-test)")

// root is the directory of the sources.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPlatforms(t *testing.T) {
	if got, err := parsePlatforms(""); err != nil || len(got) != 6 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := parsePlatforms("windows/arm64, linux/amd64"); err != nil || !slices.Equal(got, []platform{{"windows", "arm64"}, {"linux", "amd64"}}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := parsePlatforms("linux/riscv64"); err == nil {
		t.Error("linux/riscv64 is taken")
	}
}

func TestIdentify(t *testing.T) {
	dir := t.TempDir()
	if _, err := identify(t.Context(), dir, "", ""); err == nil || !strings.Contains(err.Error(), "VERSION=v1.2.3") {
		t.Errorf("without git and without a version: %v", err)
	}
	if id, err := identify(t.Context(), dir, "v1.2.3", ""); err != nil || id != (identity{"v1.2.3", "", oldestTime}) {
		t.Errorf("without git: %v, %v", id, err)
	}
	for _, bad := range []string{"1.2.3", "v1.2", "v1.2.3+x", "v01.2.3", "v1.2.3-", "v1.2.3-a..b", "v1.2.3 -X main.x=y", "latest"} {
		if id, err := identify(t.Context(), dir, bad, ""); err == nil {
			t.Errorf("%q is taken as %v", bad, id)
		}
	}
	if _, err := identify(t.Context(), dir, "v1.2.3", "yesterday"); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("%v", err)
	}

	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-22T12:00:00+01:00", "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("commit", "-qm", "one", "--allow-empty")
	commit := git("rev-parse", "HEAD")
	at := time.Date(2026, 11, 22, 11, 0, 0, 0, time.UTC)
	expect := func(when, version, epoch string, want identity) {
		t.Helper()
		if id, err := identify(t.Context(), dir, version, epoch); err != nil || id != want {
			t.Errorf("%s: %v, %v; want %v", when, id, err, want)
		}
	}
	expect("a commit", "", "", identity{"v0.0.0-g" + commit[:12], commit, at})
	expect("a version given", "v2.0.0", "", identity{"v2.0.0", commit, at})
	expect("a time given", "", "1700000000", identity{"v0.0.0-g" + commit[:12], commit, time.Unix(1700000000, 0).UTC()})
	expect("a time before zip's", "", "1", identity{"v0.0.0-g" + commit[:12], commit, oldestTime})
	git("tag", "-m", "x", "v1.4.0-rc.1")
	expect("a tag", "", "", identity{"v1.4.0-rc.1", commit, at})
	git("commit", "-qm", "two", "--allow-empty")
	commit = git("rev-parse", "HEAD")
	expect("behind a tag", "", "", identity{"v1.4.0-rc.1-1-g" + commit[:12], commit, at})
}

func TestNoPage(t *testing.T) {
	err := run(t.Context(), options{gotool: "go", root: t.TempDir(), out: t.TempDir()}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "make packed") {
		t.Errorf("%v", err)
	}
}

// builtPage is what `make packed` builds of the page.
var builtPage = []string{"web/bundle", "web/informerscope.wasm.br", "web/informerscope.wasm.gz", "web/wasm_exec.js"}

// needsPage leaves a test out where `make packed` has not run: nothing can be packed without the page.
func needsPage(t *testing.T) {
	t.Helper()
	for _, name := range builtPage {
		if _, err := os.Stat(filepath.Join(root(t), name)); err != nil {
			if *all {
				t.Fatal(err)
			}
			t.Skip("the page is not built (make packed)")
		}
	}
}

// TestOneArchive makes this machine's archive and runs what is in it.
func TestOneArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	needsPage(t)
	p := platform{runtime.GOOS, runtime.GOARCH}
	if !slices.Contains(platforms, p) {
		t.Skipf("no archive is made for %s", p)
	}
	out := t.TempDir()
	o := options{root: root(t), version: "v1.2.3-test", url: "https://example.com/v1.2.3-test"}
	// As a program of its own: under the race detector packing takes minutes.
	tool := filepath.Join(t.TempDir(), "dist"+p.exe())
	for _, args := range [][]string{{"go", "build", "-o", tool, "./tools/dist"}, {tool, "-o", out, "-version", o.version, "-url", o.url, "-platforms",
		p.String()}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = o.root
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, said)
		}
	}
	entries := inspect(t, out, o, []platform{p})[p]
	program := filepath.Join(t.TempDir(), "kubectl-informerscope"+p.exe())
	if err := os.WriteFile(program, []byte(entries["kubectl-informerscope"+p.exe()].data), 0o755); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(program, "--version").CombinedOutput()
	if want := "informerscope v1.2.3-test ("; err != nil || !strings.HasPrefix(string(said), want) || !strings.Contains(string(said), "client-go v") {
		t.Errorf("--version: %v, %s", err, said)
	}
	if said, err = exec.Command(program, "--help").CombinedOutput(); err != nil || !strings.Contains(string(said), "Usage: kubectl informerscope [flags]") {
		t.Errorf("--help: %v, %s", err, said)
	}
}

// TestSimArchive makes the archives of both programs from small sources. A program stands in the place of Kubernetes, and the script in sim/
// builds it as it builds the real one.
func TestSimArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	o := options{gotool: "go", root: t.TempDir(), out: t.TempDir(), version: "v1.2.3-test", platforms: "linux/amd64,windows/amd64", sim: true,
		url: "https://example.com/x"}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	source := func(name string) string { return read(filepath.Join(root(t), filepath.FromSlash(name))) }
	require := strings.Join(regexp.MustCompile(`(?m)^go .*|golang.org/x/(net|text) v\S+`).FindAllString(source("go.mod"), -1), "\nrequire ") + "\n"
	program := "package main\n\nimport _ \"golang.org/x/net/idna\"\n"
	for name, text := range map[string]string{
		"go.mod": "module x\n" + require, "go.sum": source("go.sum"), "LICENSE": "ours", krewTemplate: source(krewTemplate),
		"server/main.go": program + "func main() {}\n", "wasm/main.go": program + "func main() {}\n", "web/informerscope.wasm.gz": "",
		"web/informerscope.wasm.br": "", "web/bundle/index.html.gz": "",
		"sim/go.mod": "module y\n" + require + "require k8s.io/kubernetes v1.98.7\nreplace k8s.io/kubernetes => ../kubernetes\n", "sim/go.sum": source("go.sum"),
		"sim/build.sh": source("sim/build.sh"), "kubernetes/go.mod": "module k8s.io/kubernetes\n",
		"kubernetes/k.go": "package kubernetes\n", "sim/main.go": program + "import _ \"k8s.io/kubernetes\"\nfunc main() {}\n",
	} {
		name = filepath.Join(o.root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(t.Context(), o, t.Output()); err != nil {
		t.Fatal(err)
	}
	const base = "informerscope-sim_v1.2.3-test_linux_amd64"
	packed, parts, sums := read(filepath.Join(o.out, base+".tar.gz")), read(filepath.Join(o.out, base+".cdx.json")), read(filepath.Join(o.out, checksums))
	if want := sumText(packed) + "  " + base + ".tar.gz\n" + sumText(parts) + "  " + base + ".cdx.json\n"; !strings.HasSuffix(sums, want) ||
		strings.Count(sums, "\n") != 6 || strings.Count(sums, "informerscope-sim_") != 2 {
		t.Errorf("the checksums are\n%s", sums)
	}
	if plugin := readPlugin(t, o.out, o.version); len(plugin.Spec.Platforms) != 2 || strings.Contains(plugin.Spec.Platforms[0].URI, "-sim") {
		t.Errorf("krew's manifest: %+v", plugin)
	}
	names, entries := unpack(t, []byte(packed))
	built := base + "/informerscope-sim"
	if !slices.Equal(names, []string{base, base + "/LICENSE", base + "/LICENSES-OF-OTHERS.txt", built}) || entries[built].mode != 0o755 {
		t.Fatalf("it holds %q", names)
	}
	info, err := buildinfo.Read(strings.NewReader(entries[built].data))
	if err != nil {
		t.Fatal(err)
	}
	// A program without paths of this machine does not record how it was linked.
	if settings := info.String(); info.Path != "y" || !strings.Contains(settings, "-trimpath=true") || !strings.Contains(settings, "CGO_ENABLED=0") ||
		strings.Contains(settings, "vcs") {
		t.Errorf("it was built as\n%s", settings)
	}
	for _, text := range []string{parts, entries[base+"/LICENSES-OF-OTHERS.txt"].data} {
		if !strings.Contains(text, "golang.org/x/net") || strings.Contains(text, "kubernetes") || strings.Contains(text, `"page"`) {
			t.Errorf("its parts are\n%.2000s", text)
		}
	}
}

// TestAllArchives makes every archive but those of informerscope-sim, and one of them a second time: by a copy of the sources that lies elsewhere, from an
// empty build cache. The bytes have to be the same.
func TestAllArchives(t *testing.T) {
	if !*all {
		t.Skip("every platform takes minutes: make dist-test")
	}
	needsPage(t)
	o := options{gotool: "go", root: root(t), out: t.TempDir(), version: "v1.2.3-test", url: "https://example.com/v1.2.3-test"}
	began := time.Now()
	if err := run(t.Context(), o, t.Output()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d archives in %s", len(platforms), time.Since(began).Round(time.Second))
	inspect(t, o.out, o, platforms)

	again := o
	again.root, again.out, again.platforms = copySources(t, o.root), t.TempDir(), "linux/arm64"
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("TZ", "Asia/Kathmandu")
	// The copy has no history of its own; its commit is that of the sources.
	t.Setenv("GIT_DIR", gitDir(t, o.root))
	t.Setenv("GIT_OPTIONAL_LOCKS", "0") // and nothing is written there
	began = time.Now()
	if err := run(t.Context(), again, t.Output()); err != nil {
		t.Fatal(err)
	}
	t.Logf("one again, elsewhere and from nothing, in %s", time.Since(began).Round(time.Second))
	name := "informerscope_v1.2.3-test_linux_arm64.tar.gz"
	first, err := os.ReadFile(filepath.Join(o.out, name))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(again.out, name))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the same sources give two archives")
	}

	// The same again by the commands of the Containerfile, which build the page too.
	began = time.Now()
	out := buildStage(t, again.root, "arm64", o.version)
	t.Logf("by the Containerfile's commands, page and all, in %s", time.Since(began).Round(time.Second))
	_, entries := unpack(t, first)
	for _, name := range []string{"LICENSE", "LICENSES-OF-OTHERS.txt", "informerscope"} {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != entries["informerscope_v1.2.3-test_linux_arm64/"+name].data {
			t.Errorf("the image's %s is another one than the archive's", name)
		}
	}
}

// inspect reads what run made, checks it, and returns the files of each archive by their names in it.
func inspect(t *testing.T, dir string, o options, want []platform) map[platform]map[string]entry {
	t.Helper()
	sums, err := os.ReadFile(filepath.Join(dir, checksums))
	if err != nil {
		t.Fatal(err)
	}
	plugin := readPlugin(t, dir, o.version)
	if len(plugin.Spec.Platforms) != len(want) || strings.Count(string(sums), "\n") != 2*len(want) {
		t.Fatalf("checksums:\n%s", sums)
	}
	source, err := identify(t.Context(), o.root, o.version, os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[platform]map[string]entry{}
	for i, p := range want {
		base := "informerscope_" + o.version + "_" + p.os + "_" + p.arch
		name := base + p.suffix()
		for _, file := range []string{name, base + ".cdx.json"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(sums), sumText(string(text))+"  "+file+"\n") {
				t.Errorf("no checksum of %s in\n%s", file, sums)
			}
		}
		packed, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		d := plugin.Spec.Platforms[i]
		if d.SHA256 != sumText(string(packed)) || d.URI != o.url+"/"+name || d.Selector.MatchLabels["os"] != p.os || d.Selector.MatchLabels["arch"] != p.arch {
			t.Errorf("%s: krew's manifest has %+v", name, d)
		}
		names, entries := unpack(t, packed)
		if wantNames := []string{base, base + "/LICENSE", base + "/LICENSES-OF-OTHERS.txt", base + "/README.txt", base + "/informerscope" + p.exe(),
			base + "/kubectl-informerscope" + p.exe()}; !slices.Equal(names, wantNames) {
			t.Fatalf("%s holds %q, want %q", name, names, wantNames)
		}
		files[p] = map[string]entry{}
		for n, e := range entries {
			if !e.time.Equal(source.time) {
				t.Errorf("%s: %s is of %v, want %v", name, n, e.time, source.time)
			}
			files[p][filepath.Base(n)] = e
		}
		program := files[p]["informerscope"+p.exe()]
		if program.mode != 0o755 || files[p]["kubectl-informerscope"+p.exe()] != program {
			t.Errorf("%s: the two programs differ, or cannot be run: %v", name, program.mode)
		}
		if installed := d.install(t, names, entries); installed[d.Bin] != program || installed["LICENSE"].data == "" {
			t.Errorf("%s: krew would install %d files, and not the program", name, len(installed))
		}
		if text := files[p]["README.txt"].data; !strings.Contains(text, o.version+" for "+p.String()) ||
			strings.Contains(text, "informerscope.exe --context") != (p.os == "windows") {
			t.Errorf("%s has the README\n%s", name, text)
		}
		for _, module := range []string{"k8s.io/client-go v", "github.com/gorilla/websocket v", "Go's standard library", "github.com/hack-pad/safejs v"} {
			if !strings.Contains(files[p]["LICENSES-OF-OTHERS.txt"].data, "==== "+module) {
				t.Errorf("%s: no licence of %s", name, module)
			}
		}
		checkProgram(t, p, o, program.data)
		checkParts(t, filepath.Join(dir, base+".cdx.json"), o.version, program.data)
	}
	return files
}

// sumText is the SHA-256 of a text, in hexadecimal.
func sumText(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// checkProgram reads from a program what it is.
func checkProgram(t *testing.T, p platform, o options, program string) {
	t.Helper()
	r := strings.NewReader(program)
	info, err := buildinfo.Read(r)
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["GOOS"] != p.os || settings["GOARCH"] != p.arch || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" {
		t.Errorf("%s: built with %v", p, settings)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{o.root + "/", home + "/go/", runtime.GOROOT() + "/src"} {
		if strings.Contains(program, bad) {
			t.Errorf("%s: a path of this machine is in it: %s", p, bad)
		}
	}
	page, err := os.ReadFile(filepath.Join(o.root, "web", "informerscope.wasm.gz"))
	if err != nil || len(page) == 0 {
		t.Fatalf("%d bytes of the page, %v", len(page), err)
	}
	document, err := os.ReadFile(filepath.Join(o.root, "web", "bundle", "index.html.br"))
	if err != nil || !strings.Contains(program, string(page)) || !strings.Contains(program, string(document)) {
		t.Errorf("%s: the page is not in it", p)
	}
}

// copySources copies what git tracks, and the page as it is built, into a directory of its own.
func copySources(t *testing.T, from string) string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = from
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	names := strings.Split(strings.Trim(string(listed), "\x00"), "\x00")
	for _, built := range builtPage {
		err := filepath.WalkDir(filepath.Join(from, built), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name, _ := filepath.Rel(from, path) // below it
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// gitDir is where the history of the sources in dir is kept.
func gitDir(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("git", "rev-parse", "--absolute-git-dir")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
