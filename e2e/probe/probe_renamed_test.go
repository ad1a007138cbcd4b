package probe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// TestProbeRenamed renames private fields of client-go that the probe reads. Only the layer that reads a field is then off, with a reason, and the
// controller works on. Fields of different layers are renamed together, because each build takes seconds.
func TestProbeRenamed(t *testing.T) {
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	command := func(t *testing.T, dir, name string, args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(harness.Timeout(t, 10*time.Minute), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
		}
		return out
	}
	dir := t.TempDir()
	clientGo := filepath.Join(dir, "client-go")
	original := strings.TrimSpace(string(command(t, filepath.Join(root, "e2e"), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go")))
	if err := os.CopyFS(clientGo, sources{os.DirFS(original)}); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join(root, "e2e", "testdata", "probedalone", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "go", "mod", "init", "probedalone")
	command(t, dir, "go", "mod", "edit", "-go=1.22", "-require=k8s.io/client-go@v0.37.2", "-replace=k8s.io/client-go="+clientGo,
		"-require=example.org/informerscope/probe@v0.0.0", "-replace=example.org/informerscope/probe="+filepath.Join(root, "probe"))

	type field struct{ typ, name string }
	type renamed map[field][]string // the layers that are off
	nothing := []string{}
	for _, fields := range []renamed{
		{}, // unchanged
		{{"RealFIFO", "batchSize"}: nothing, {"processorListener", "handlerName"}: nothing, {"processorListener", "pendingNotificationsLength"}: nothing},
		{{"sharedIndexInformer", "startedLock"}: {"handlers", "queue", "queued"}, {"threadSafeMap", "items"}: {"count"},
			{"processorListener", "pendingNotifications"}: {"rings"}},
		{{"sharedIndexInformer", "started"}: {"handlers"}, {"sharedIndexInformer", "controller"}: {"queue"},
			{"sharedIndexInformer", "transform"}: {"queued"}, {"sharedIndexInformer", "indexer"}: {"count"}},
		{{"sharedIndexInformer", "processor"}: {"listeners", "handlers"}, {"controller", "config"}: {"queue"}, {"cache", "cacheStorage"}: {"count"}},
		{{"sharedProcessor", "listenersLock"}: {"listeners", "handlers"}, {"RealFIFO", "items"}: {"queue"}, {"threadSafeMap", "lock"}: {"count"}},
		{{"sharedProcessor", "listeners"}: {"listeners", "handlers"}, {"RealFIFO", "lock"}: {"queue"}},
		{{"processorListener", "handler"}: {"listeners", "handlers"}, {"RealFIFO", "emitAtomicEvents"}: {"queue"}},
	} {
		var names []string
		want := map[string]string{} // layer → field
		for f, layers := range fields {
			names = append(names, f.typ+"."+f.name)
			for _, layer := range layers {
				want[layer] = f.name
			}
		}
		slices.Sort(names)
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			undo := map[string][]byte{}
			defer func() {
				for path, text := range undo {
					if err := os.WriteFile(path, text, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}()
			for f := range fields {
				if err := renameField(filepath.Join(clientGo, "tools", "cache"), f.typ, f.name, undo); err != nil {
					t.Fatal(err)
				}
			}
			begin := time.Now()
			command(t, dir, "go", "build", "-mod=mod", "-o", "probedalone", ".")
			built := time.Since(begin)
			var got struct {
				Release string
				Kinds   map[string]int
				Rings   bool
				Off     map[string]string
			}
			if err := json.Unmarshal(command(t, dir, filepath.Join(dir, "probedalone")), &got); err != nil {
				t.Fatal(err)
			}
			t.Logf("built in %s; off: %v; %v", built.Round(100*time.Millisecond), got.Off, got.Kinds)
			for layer, name := range want {
				if !strings.Contains(got.Off[layer], name) {
					t.Errorf("%s is off with the words %q, which do not name the field %s", layer, got.Off[layer], name)
				}
			}
			if len(got.Off) != len(want) {
				t.Errorf("off are %v, not %v", slices.Sorted(maps.Keys(got.Off)), slices.Sorted(maps.Keys(want)))
			}
			const changes = 50 + 50 + 49
			stored := got.Kinds["StoreAdded"] + got.Kinds["StoreUpdated"] + got.Kinds["StoreDeleted"]
			entered, handled, rings := changes, 2*changes, true
			if want["queued"] != "" {
				entered = 0
			}
			if want["handlers"] != "" {
				handled = 0
			}
			if want["listeners"] != "" || want["rings"] != "" {
				rings = false
			}
			if stored != changes || got.Kinds["Queued"] != entered || got.Kinds["Handled"] != handled || got.Rings != rings || got.Release != "1.37" {
				t.Errorf("%d changes of the store, %d entries of the queue, %d calls of handlers, rings seen: %t, release %s; not %d, %d, %d, %t, 1.37",
					stored, got.Kinds["Queued"], got.Kinds["Handled"], got.Rings, got.Release, changes, entered, handled, rings)
			}
		})
	}
}

// sources are the files of a module without its tests, to be written to.
type sources struct{ fs.FS }

func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(all, func(d fs.DirEntry) bool { return strings.HasSuffix(d.Name(), "_test.go") || d.Name() == "testdata" }), err
}

// renameField renames a struct's field wherever the package in a directory uses it, and keeps in undo how each file was.
func renameField(dir, typ, name string, undo map[string][]byte) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	// Types of other packages are not resolved, and not needed: the compiler reports a use that was missed.
	check := types.Config{Error: func(error) {}, Importer: emptyImporter{}}
	pkg, _ := check.Check("cache", set, files, info)
	named := pkg.Scope().Lookup(typ)
	if named == nil {
		return fmt.Errorf("there is no %s", typ)
	}
	field, _, _ := types.LookupFieldOrMethod(named.Type(), true, pkg, name)
	if field == nil {
		return fmt.Errorf("there is no %s.%s", typ, name)
	}
	at := map[string][]int{}
	for _, idents := range []map[*ast.Ident]types.Object{info.Defs, info.Uses} {
		for id, obj := range idents {
			if v, ok := obj.(*types.Var); ok && v.Origin() == field {
				p := set.Position(id.Pos())
				at[p.Filename] = append(at[p.Filename], p.Offset)
			}
		}
	}
	for path, offsets := range at {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if undo[path] == nil {
			undo[path] = bytes.Clone(text)
		}
		slices.Sort(offsets)
		for _, offset := range slices.Backward(offsets) {
			text = slices.Insert(text, offset+len(name), []byte("Elsewhere")...)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// emptyImporter imports every package as an empty one.
type emptyImporter struct{}

func (emptyImporter) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}
