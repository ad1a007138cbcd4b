// Command slim prepares a build that leaves out of the page what it never does:
// TLS, dialling, HTTP/1, internationalised host names, Unicode classes in
// regular expressions, CBOR, and conversion between unstructured and typed
// objects.
//
// net/http links crypto/tls, a resolver and the tables of Unicode with
// everything below them, and apimachinery links CBOR, json-iterator and YAML, a
// good part of what a page would have to load. But a page never speaks TLS or
// looks up a name itself, its browser does; it speaks HTTP/2 alone, and reads
// JSON into types of its own. In the build such functions, the doors, return an
// error, or panic if they return none, and what only they could reach panics in
// place of what it would do, so that the linker drops that. All is made from the
// sources of the toolchain and of the modules that build, so nothing of them is
// kept here; when they are not as expected, slim fails and says so rather than
// build something else.
//
// The toolchain's files are replaced through an overlay. The go command allows
// none in the module cache, so a module with doors is copied and a go.mod beside
// the overlay replaces it.
//
// Usage, in the module's root: go run ./wasm/slim DIR, then
// go build -overlay DIR/overlay.json -modfile DIR/go.mod.
//
// The overlay also takes chance out of the scheduler (see steady), so that on virtual time a seed plays one story. With
// -steady before DIR it does only that, for a test that runs natively, and needs no go.mod.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const apimachinery = "k8s.io/apimachinery"

// doors are the functions, by package, through which a page does not go; methods
// as Type.Method. They return an error if they can, and panic otherwise.
var doors = map[string][]string{
	"crypto/tls":                   {"Conn.clientHandshake", "Conn.serverHandshake", "Conn.Read", "Conn.Write", "Conn.CloseWrite", "Conn.HandshakeContext"},
	"crypto/hpke":                  {},
	"crypto/x509":                  {"OID.String"},
	"crypto/x509/pkix":             {"RDNSequence.String"},
	"vendor/golang.org/x/net/idna": {"Profile.process"},
	"net":                          {"Dialer.DialContext", "Dialer.DialTCP", "Dialer.DialUDP", "Dialer.DialIP", "Dialer.DialUnix"},
	"net/http": {
		"socksDialer.DialWithConn", "Request.write", "Request.multipartReader", "ReadResponse",
		"conn.readRequest", "chunkWriter.writeHeader", "persistConn.roundTrip", "persistConn.readLoop", "persistConn.writeLoop",
	},
	"regexp/syntax": {"unicodeTable"},
	"math/big":      {"nat.itoa", "nat.scan", "Int.Format"},

	apimachinery + "/pkg/runtime/serializer/cbor/direct": {"Marshal", "Unmarshal", "Diagnose"},
	apimachinery + "/pkg/runtime":                        {"unstructuredConverter.FromUnstructuredWithValidation", "unstructuredConverter.ToUnstructured"},
	apimachinery + "/pkg/apis/meta/v1":                   {"RegisterConversions"},
	apimachinery + "/pkg/util/net":                       {},
}

// beyond are the packages that only those doors lead to. A function of a
// package with a door that uses one of them cannot be reached but through it,
// and no variable needs a value from there.
var beyond = map[string]bool{
	"crypto/hpke": true, "crypto/ecdh": true, "crypto/mlkem": true, "crypto/ecdsa": true, "crypto/ed25519": true,
	"crypto/rsa": true, "crypto/dsa": true, "crypto/elliptic": true, "crypto/fips140": true,
	"golang.org/x/text/secure/bidirule": true, "golang.org/x/text/unicode/bidi": true, "golang.org/x/text/unicode/norm": true,
	"crypto/internal/fips140/mlkem": true, "crypto/internal/fips140/tls13": true, "crypto/internal/fips140/tls12": true,

	apimachinery + "/pkg/runtime/serializer/cbor/internal/modes": true, "sigs.k8s.io/structured-merge-diff/v6/value": true,
	apimachinery + "/pkg/api/resource": true, "golang.org/x/net/http2": true,
	"go/ast": true, "go/doc": true, "go/parser": true,
}

// stripped are the packages with doors in which a function that takes or
// returns something of a package beyond is left out whole, so that its package
// need not even be initialised.
var stripped = map[string]bool{"crypto/x509": true, apimachinery + "/pkg/runtime": true, apimachinery + "/pkg/apis/meta/v1": true}

// refusal is what a door says. What is beyond says hidden, and the Makefile
// looks that no function that would say it is linked into the page.
const (
	refusal = "left out of the page (see wasm/slim)"
	hidden  = "behind a shut door of wasm/slim"
)

// steady are the places where the runtime lets chance or real time choose among orders that are all allowed: which of a
// select's ready cases goes first, where the iteration of a map begins, when a Mutex becomes fair, when a goroutine has run
// long enough. One of the allowed orders is as good as another, and always the same one can be played again. Each text must be
// found just once.
var steady = []struct{ pkg, file, old, new string }{
	{"runtime", "select.go", "j := cheaprandn(uint32(norder + 1))", "j := uint32(norder)"},
	{"internal/runtime/maps", "table.go", "it.entryOffset = rand()", "it.entryOffset = 0"},
	{"internal/runtime/maps", "table.go", "it.dirOffset = rand()", "it.dirOffset = 0"},
	{"internal/sync", "mutex.go", "starvationThresholdNs = 1e6", "starvationThresholdNs = 1 << 62"},
	{"runtime", "proc.go", "const forcePreemptNS = 10 * 1000 * 1000", "const forcePreemptNS = 1 << 62"},
	// At every park the browser would be asked what time it is, for notes with a deadline that nothing has.
	{"runtime", "lock_js.go", "\tnow := nanotime()\n\tfor n := allDeadlineNotes", "\tif allDeadlineNotes == nil {\n\t\treturn\n\t}\n\tnow := nanotime()\n\tfor n := allDeadlineNotes"},
	// Who waits for the moment at which nothing else can run is told there and then, without the way by the browser's event loop
	// (see wasm/quiet_steady.go).
	{"runtime", "lock_js.go", "var idleStart int64\n", "var idleStart int64\n" + awaitQuiet},
	{"runtime", "lock_js.go", beforePause, wakeQuiet + beforePause},
}

const (
	// beforePause is where beforeIdle has found that no goroutine can run.
	beforePause = "\tif len(events) == 0 {\n"
	awaitQuiet  = `
var quietWaiter guintptr

//go:linkname awaitQuiet
func awaitQuiet() {
	quietWaiter.set(getg())
	gopark(nil, nil, waitReasonZero, traceBlockGeneric, 1)
}
`
	wakeQuiet = `	if w := quietWaiter.ptr(); w != nil && (len(events) == 0 || events[len(events)-1].returned) {
		quietWaiter = 0
		return w, false
	}
`
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "-steady" {
		if err := writeOverlay(os.Args[2], map[string]string{}); err != nil {
			fmt.Fprintln(os.Stderr, "slim:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: slim [-steady] DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	main, err := list("-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	origin, err := originDir()
	if err != nil {
		return err
	}
	module := filepath.Join(dir, "module")
	if err := copyModule(module, origin); err != nil {
		return err
	}
	if err := writeModfile(dir, main[0], module); err != nil {
		return err
	}
	replace := map[string]string{}
	for pkg, closed := range doors {
		found := 0
		// The go command's own word on which files make the package, for js/wasm, for which the page is built.
		files, err := list("-f", "{{.Dir}}{{range .GoFiles}}\n{{.}}{{end}}", pkg)
		if err != nil {
			return err
		}
		for _, base := range files[1:] {
			file := filepath.Join(files[0], base)
			text, n, err := silence(file, closed, stripped[pkg], found == 0)
			if err != nil {
				return err
			}
			if text == nil {
				continue
			}
			found += n
			out := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+"_"+base)
			if in, err := filepath.Rel(origin, file); err == nil && filepath.IsLocal(in) {
				out = filepath.Join(module, in)
			} else {
				replace[file] = out
			}
			if err := os.WriteFile(out, text, 0o644); err != nil {
				return err
			}
		}
		if found != len(closed) {
			return fmt.Errorf("found %d of the %d doors of %s in %s; it is built otherwise than expected", found, len(closed), pkg, files[0])
		}
	}
	return writeOverlay(dir, replace)
}

// writeOverlay writes the overlay of what replaces which file, and what is steady besides.
func writeOverlay(dir string, replace map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, s := range steady {
		from, err := list("-f", "{{.Dir}}", s.pkg)
		if err != nil {
			return err
		}
		file := filepath.Join(from[0], s.file)
		now := file
		if replace[file] != "" {
			now = replace[file]
		}
		text, err := os.ReadFile(now)
		if err != nil {
			return err
		}
		if n := strings.Count(string(text), s.old); n != 1 {
			return fmt.Errorf("%q is %d times in %s; it is built otherwise than expected", s.old, n, file)
		}
		replace[file] = filepath.Join(dir, strings.ReplaceAll(s.pkg, "/", "_")+"_"+s.file)
		if err := os.WriteFile(replace[file], []byte(strings.Replace(string(text), s.old, s.new, 1)), 0o644); err != nil {
			return err
		}
	}
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644)
}

// list returns the lines that go list prints for js/wasm.
func list(args ...string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n"), nil
}

// originDir is where apimachinery lies, which is downloaded where nothing has needed it yet: the go command does that for a
// package and not for a module.
func originDir() (string, error) {
	lines, err := list("-f", "{{.Module.Dir}}", apimachinery+"/pkg/runtime")
	if err != nil {
		return "", err
	}
	return lines[0], nil
}

// copyModule makes dir a copy of what builds of the module in origin.
func copyModule(dir, origin string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return filepath.WalkDir(origin, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" && d.Name() != "go.mod" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		in, err := filepath.Rel(origin, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out := filepath.Join(dir, in)
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		return os.WriteFile(out, text, 0o644)
	})
}

// writeModfile writes go.mod and go.sum of the main module in root into dir,
// with apimachinery replaced by module.
func writeModfile(dir, root, module string) error {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	// What is built names its modules, so the path must not be this machine's where that can be.
	to := module
	if in, err := filepath.Rel(root, module); err == nil && filepath.IsLocal(in) {
		to = "./" + filepath.ToSlash(in)
	}
	text = fmt.Appendf(text, "\nreplace %s => %s\n", apimachinery, strconv.Quote(to))
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
}

// silence rewrites a file and drops the imports that nothing in it needs
// then. It returns how many doors it found, or no text when the file can stay
// as it is. The first file of a package with a door declares their error.
func silence(file string, closed []string, strip, first bool) (text []byte, found int, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		return nil, 0, err
	}
	far := map[string]bool{} // names under which the file knows the packages beyond
	for _, imp := range f.Imports {
		if path, name := imported(imp); beyond[path] {
			far[name] = true
		}
	}
	changed := false
	gone := map[int]bool{} // declarations to leave out
	for i, d := range f.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
			changed = emptied(gen, far) || changed
			continue
		}
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		switch {
		case slices.Contains(closed, name(fn)):
			found++
			fn.Body.List = []ast.Stmt{refuse(fn.Type)}
		case strip && fn.Recv == nil && mentions(fn.Type, far):
			gone[i] = true
		case mentions(fn.Body, far):
			fn.Body.List = []ast.Stmt{panicking(hidden)}
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return nil, 0, nil
	}
	var decls []ast.Decl
	for i, d := range f.Decls {
		if !gone[i] {
			decls = append(decls, d)
		}
	}
	f.Decls = decls
	used := selectors(f)
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		var kept []ast.Spec
		for _, spec := range gen.Specs {
			if _, name := imported(spec.(*ast.ImportSpec)); name == "_" || used[name] {
				kept = append(kept, spec)
			}
		}
		gen.Specs = kept
	}
	// Loose comments would land between what is left, and build constraints are fulfilled; directives belong to their
	// declarations and stay.
	f.Comments = nil
	var out strings.Builder
	if err := format.Node(&out, fset, f); err != nil {
		return nil, 0, err
	}
	if found > 0 && first {
		out.WriteString("\ntype doorError struct{}\n\nfunc (doorError) Error() string { return " + strconv.Quote(refusal) + " }\n\nvar errDoor error = doorError{}\n")
	}
	return []byte(out.String()), found, nil
}

// refuse is the body of a door: it returns an error if that is the last result,
// with zero values before it, and else panics.
func refuse(of *ast.FuncType) ast.Stmt {
	if of.Results != nil {
		last := of.Results.List[len(of.Results.List)-1]
		if id, ok := last.Type.(*ast.Ident); ok && id.Name == "error" {
			var results []ast.Expr
			for _, field := range of.Results.List {
				for range max(1, len(field.Names)) {
					results = append(results, &ast.StarExpr{X: &ast.CallExpr{Fun: ast.NewIdent("new"), Args: []ast.Expr{field.Type}}})
				}
			}
			results[len(results)-1] = ast.NewIdent("errDoor")
			return &ast.ReturnStmt{Results: results}
		}
	}
	return panicking(refusal)
}

func panicking(word string) ast.Stmt {
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent("panic"), Args: []ast.Expr{&ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(word)}}}}
}

// emptied takes the value from variables that are made with a package beyond,
// where it is the address of a composite and so says the type.
func emptied(gen *ast.GenDecl, far map[string]bool) (changed bool) {
	for _, spec := range gen.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) != 1 || !mentions(v.Values[0], far) {
			continue
		}
		addr, ok := v.Values[0].(*ast.UnaryExpr)
		if !ok || addr.Op != token.AND {
			continue
		}
		if lit, ok := addr.X.(*ast.CompositeLit); ok {
			v.Type, v.Values, changed = &ast.StarExpr{X: lit.Type}, nil, true
		}
	}
	return changed
}

// name is a function's, with its receiver's type before it if it has one.
func name(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// version is how an import path ends that names a major version.
var version = regexp.MustCompile(`/v[0-9]+$`)

// imported returns the path of an import and the name that the file uses for it.
func imported(imp *ast.ImportSpec) (path, name string) {
	path = strings.Trim(imp.Path.Value, `"`)
	if imp.Name != nil {
		return path, imp.Name.Name
	}
	return path, pathpkg.Base(version.ReplaceAllString(path, ""))
}

// mentions reports whether a node selects from one of the packages named.
func mentions(node ast.Node, names map[string]bool) bool {
	for name := range selectors(node) {
		if names[name] {
			return true
		}
	}
	return false
}

// selectors are the plain names, but those of variables, that something is
// selected from.
func selectors(node ast.Node) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}
