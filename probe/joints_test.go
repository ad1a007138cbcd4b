package probe

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.org/informerscope/probe/internal/joints"
)

// TestJointsAreInOneFolder: no file of the probe's modules reaches for private parts of others, but those of internal/joints, which the tag leaves out.
func TestJointsAreInOneFolder(t *testing.T) {
	n := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".go" && path.Ext(file) != ".s" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		reaches := path.Ext(file) == ".s" || reachesIn(t, file, string(text))
		if path.Dir(file) != "internal/joints" && reaches {
			t.Errorf("%s reaches for private parts: only internal/joints may", file)
		}
		if reaches {
			n++
			if isBuiltWithTag(t, file, string(text)) {
				t.Errorf("%s reaches for private parts, and the tag informerscope_public does not leave it out", file)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 4 {
		t.Errorf("only %d files reach for private parts: does this test see them?", n)
	}
}

// reachesIn reports whether a file imports unsafe, links to a name of another package, looks up a field by a private name or a variable one, or reads names on
// the stack. A test may look at the stack of the probe itself.
func reachesIn(t *testing.T, file, text string) (reaches bool) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range parsed.Imports {
		reaches = reaches || x.Path.Value == `"unsafe"` || x.Path.Value == `"C"`
	}
	reaches = reaches || regexp.MustCompile(`(?m)^//go:linkname`).MatchString(text)
	ast.Inspect(parsed, func(node ast.Node) bool {
		call, isCall := node.(*ast.CallExpr)
		if !isCall {
			return true
		}
		switch called, _ := call.Fun.(*ast.SelectorExpr); {
		case called == nil:
		case called.Sel.Name == "FieldByName":
			name, isConstant := call.Args[0].(*ast.BasicLit)
			reaches = reaches || !isConstant || unicode.IsLower(rune(name.Value[1]))
		case called.Sel.Name == "CallersFrames":
			reaches = reaches || !strings.HasSuffix(file, "_test.go")
		case slices.Contains([]string{"UnsafeAddr", "UnsafePointer", "NewAt"}, called.Sel.Name):
			reaches = true
		}
		return true
	})
	return reaches
}

// isBuiltWithTag reports whether a file may be in a program with the tag informerscope_public, on any processor.
func isBuiltWithTag(t *testing.T, file, text string) bool {
	for _, line := range strings.Split(text, "\n") {
		if constraint.IsGoBuild(line) {
			x, err := constraint.Parse(line)
			if err != nil {
				t.Fatal(file, err)
			}
			return x.Eval(func(name string) bool { return name != "purego" })
		}
	}
	return true
}

// alike is how the members of the State are known in each build; docs/probe.md lists the others.
const alike = `api exact
holds unseen
indexer.bytes unseen
indexer.cameBytes unseen
indexer.indices derived
indexer.objects derived
listeners.delivered derived
listeners.distributed unseen
listeners.handled exact
listeners.handling exact
listeners.meanMicros exact
listeners.panics exact
listeners.waiting unseen
queue.locked unseen
queue.synced sampled
reflector derived
reflector.backoffMillis derived
reflector.resourceVersion sampled
workqueue.failures derived
workqueue.lastRead derived
workqueue.workers derived
workqueue.writes derived`

// TestWhatTheTagLeavesOut: docs/probe.md lists each member of the State that is known in another way with the tag. Each build is held to its own column.
func TestWhatTheTagLeavesOut(t *testing.T) {
	if !joints.KnowsGoroutines && joints.Available {
		t.Skip("the table is for processors on which the probe knows goroutines")
	}
	text, err := os.ReadFile("../docs/probe.md")
	if err != nil {
		t.Fatal(err)
	}
	column := 1
	if !joints.Available {
		column = 2
	}
	want := map[string]string{}
	const how = "(exact|derived|sampled|unseen)"
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| " + how + " \\| " + how + " \\|$")
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		for _, member := range strings.Split(row[1], ", ") {
			want[strings.Trim(member, "`")] = row[1+column]
		}
		if row[2] == row[3] {
			t.Errorf("%s is known in the same way", row[1])
		}
	}
	if len(want) == 0 {
		t.Fatal("docs/probe.md has no table of what becomes derived")
	}
	for _, line := range strings.Split(alike, "\n") {
		member, how, _ := strings.Cut(line, " ")
		want[member] = how
	}
	p, _ := newInformer(t, newSource(0), new(atomic.Int64))
	p.isWired.Store(true)
	defer NewQueue[string](p, QueueOptions{})("things", nil).ShutDown()
	l := p.informers()[0]
	l.isRead.Store(true)
	l.noBodies = ""
	got := map[string]string{"era": "exact"}
	for member, x := range l.fidelities(true) {
		if got[member] = x.How; x.How != "exact" && x.Why == "" && x.How != "sampled" {
			t.Errorf("%s is %s without a reason", member, x.How)
		}
	}
	if !maps.Equal(got, want) {
		for member := range got {
			if got[member] != want[member] {
				t.Errorf("%s is %s, and docs/probe.md or the list above says %q", member, got[member], want[member])
			}
		}
		t.Errorf("%d members are known, %d are listed", len(got), len(want))
	}
	if err := p.Status().Err(); err != nil {
		t.Errorf("what the tag leaves out is an error: %v", err)
	}
	if n := len(l.offLayers()); (n > 0) == joints.Available {
		t.Errorf("%d layers are off", n)
	}
}

// TestFollowerFails: a hook that fails in the handler through which a program without joints sees the store puts that layer off.
func TestFollowerFails(t *testing.T) {
	p, _ := newInformer(t, newSource(0), new(atomic.Int64))
	l := p.informers()[0]
	function := ").logStored"
	var in atomic.Pointer[string]
	in.Store(&function)
	f := &follower{l: l}
	for i := range 2 {
		f.OnAdd(&trap{metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(i)}}, &in}, false)
	}
	if why := l.offLayers()["store"]; !strings.Contains(why, "failed (string) and was switched off") {
		t.Errorf("off: %q", why)
	}
}
