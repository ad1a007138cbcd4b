package determinism

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"informerscope/tools/wasmpage/toolchain"
)

// Place is one where the runtime's sources are changed: the text Old of a file becomes New. Old must be found just once.
type Place struct{ Package, File, Old, New string }

// Places are where the runtime lets chance or real time choose among orders that are all allowed. Such choices are which of a
// select's ready cases goes first, where the iteration of a map begins, when a Mutex becomes fair, and when a goroutine has run
// long enough. One of the allowed orders is as good as another, and always the same one can be played again.
var Places = []Place{
	{"runtime", "select.go", "j := cheaprandn(uint32(norder + 1))", "j := uint32(norder)"},
	{"internal/runtime/maps", "table.go", "it.entryOffset = rand()", "it.entryOffset = 0"},
	{"internal/runtime/maps", "table.go", "it.dirOffset = rand()", "it.dirOffset = 0"},
	{"internal/sync", "mutex.go", "starvationThresholdNs = 1e6", "starvationThresholdNs = 1 << 62"},
	{"runtime", "proc.go", "const forcePreemptNS = 10 * 1000 * 1000", "const forcePreemptNS = 1 << 62"},
	// At every park the browser would be asked what time it is, for notes with a deadline that nothing has.
	{"runtime", "lock_js.go", "\tnow := nanotime()\n\tfor n := allDeadlineNotes",
		"\tif allDeadlineNotes == nil {\n\t\treturn\n\t}\n\tnow := nanotime()\n\tfor n := allDeadlineNotes"},
	// A waiter for the moment at which nothing else can run is woken there and then, without the way by the browser's event loop
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

// Prepare writes into dir the runtime's sources without chance, as the toolchain has them, and adds them to what replaces which file.
func Prepare(tc *toolchain.Toolchain, dir string, replace map[string]string) error {
	for _, s := range Places {
		from, err := tc.List("-f", "{{.Dir}}", s.Package)
		if err != nil {
			return err
		}
		file := filepath.Join(from[0], s.File)
		now := file
		if replace[file] != "" {
			now = replace[file]
		}
		text, err := os.ReadFile(now)
		if err != nil {
			return err
		}
		if n := strings.Count(string(text), s.Old); n != 1 {
			return fmt.Errorf("%q is %d times in %s; it is built otherwise than expected", s.Old, n, file)
		}
		replace[file] = filepath.Join(dir, strings.ReplaceAll(s.Package, "/", "_")+"_"+s.File)
		if err := os.WriteFile(replace[file], []byte(strings.Replace(string(text), s.Old, s.New, 1)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
