package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"informerscope/tools/wasmpage/determinism"
	"informerscope/tools/wasmpage/repack"
	"informerscope/tools/wasmpage/size"
	"informerscope/tools/wasmpage/toolchain"
)

// page is how the page is built, and why it is not built better.
type page struct {
	small, steady bool
	named         bool // its functions keep their names, for a profiler

	large, chance error // why it is not small, and not steady
	failed        error // what the go command said of better ways to build it
}

// words say in one line what the page lacks; they are empty when it lacks nothing.
func (p page) words(version string) string {
	var lost []string
	if p.large != nil {
		lost = append(lost, "it is larger to download ("+line(p.large)+")")
	}
	if p.chance != nil {
		lost = append(lost, "it has no exact links and shares moments as files ("+line(p.chance)+")")
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("the page works, but as %s builds it, %s", version, strings.Join(lost, ", and "))
}

// line is the line of an error that says what is wrong: the go command's begin with the name of the package.
func line(err error) string {
	for l := range strings.Lines(err.Error()) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "# ") {
			return l
		}
	}
	return err.Error()
}

// hotFunctions is what is fast because functions are inlined. Elsewhere they are not, for less to download; with the doors shut that
// is a third.
var hotFunctions = []string{
	"runtime", "internal/runtime/...", "internal/bytealg", "internal/byteorder", "internal/sync", "sync/...", "bytes", "encoding/binary", "unicode/utf8",
	"github.com/tidwall/...", "github.com/hack-pad/...",
	"informerscope/core/words/event", "informerscope/core/words/object", "informerscope/core/words/persistent", "informerscope/core/informer",
	"informerscope/core/client/restwatch", "informerscope/core/log/fold", "informerscope/core/log/trace", "informerscope/core/log/tracefile",
	"informerscope/core/page/view",
}

// buildPage builds the page into out, as want says or as well as the sources allow, and returns how it is.
func buildPage(tc *toolchain.Toolchain, work, out string, want page) (page, error) {
	work, err := filepath.Abs(work)
	if err != nil {
		return want, err
	}
	for _, dir := range []string{work, out} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return want, err
		}
	}
	built := filepath.Join(work, "informerscope.wasm")
	tc = tc.ForPage()
	result := want
	doorless := map[string]string{}
	if want.small {
		result.large = size.Prepare(tc, work, doorless)
	}
	if want.steady {
		result.chance = determinism.Prepare(tc, work, map[string]string{})
	}
	for _, try := range []page{{small: true, steady: true}, {steady: true}, {small: true}, {}} {
		if try.small && (!want.small || result.large != nil) || try.steady && (!want.steady || result.chance != nil) {
			continue
		}
		replace := map[string]string{}
		if try.small {
			maps.Copy(replace, doorless)
		}
		if try.steady {
			if err := determinism.Prepare(tc, work, replace); err != nil {
				return result, err
			}
		}
		try.named = want.named
		if err = compile(tc, work, built, try, replace); err == nil {
			if result.small = try.small; want.small && !result.small && result.large == nil {
				result.large = result.failed
			}
			if result.steady = try.steady; want.steady && !result.steady && result.chance == nil {
				result.chance = result.failed
			}
			if want.small && !want.named {
				result.large = errors.Join(result.large, repackFile(built))
			}
			if err := compress(built, out); err != nil {
				return result, err
			}
			return result, copyLoader(tc, filepath.Join(out, "wasm_exec.js"))
		}
		if isOwn(err) {
			break
		}
		result.failed = errors.Join(result.failed, err)
	}
	return result, err
}

// compile builds the program as the file out with what replaces the toolchain's files.
func compile(tc *toolchain.Toolchain, work, out string, p page, replace map[string]string) error {
	strip := "-s -w"
	if p.named {
		strip = "-w"
	}
	args := []string{"build", "-trimpath", "-ldflags=" + strip, "-gcflags=all=-l"}
	for _, pkg := range hotFunctions {
		args = append(args, "-gcflags="+pkg+"=")
	}
	if len(replace) > 0 {
		overlay, err := toolchain.WriteOverlay(work, replace)
		if err != nil {
			return err
		}
		args = append(args, "-overlay", overlay)
	}
	if p.small {
		args = append(args, "-modfile", filepath.Join(work, "go.mod"))
	}
	if p.steady {
		args = append(args, "-tags", "steady")
	}
	if _, err := tc.Output(append(args, "-o", out, program)...); err != nil {
		return err
	}
	if !p.small {
		return nil
	}
	text, err := os.ReadFile(out)
	if err == nil && bytes.Contains(text, []byte(size.Hidden)) {
		err = errors.Join(errors.New("what is taken to be unreachable is linked into the page"), os.Remove(out))
	}
	return err
}

// repackFile makes the file what repack.Repack makes of it, or leaves it and says why.
func repackFile(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if text, err = repack.Repack(text); err != nil {
		return fmt.Errorf("the program is otherwise than expected: %w", err)
	}
	return os.WriteFile(name, text, 0o755)
}

// compress puts the program into the directory out as gzip: the server sends it as it lies there. The same program gives the same bytes.
func compress(program, out string) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // its header has neither a name nor a time
	if err != nil {
		return err
	}
	if _, err = w.Write(text); err == nil {
		err = w.Close()
	}
	if err != nil {
		return err
	}
	next := filepath.Join(out, "_informerscope.wasm.gz") // not embedded into a server, and a program that has the old one open keeps it whole
	if err := os.WriteFile(next, packed.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(out, "informerscope.wasm.gz"))
}

// program is the page's; tests build a smaller one.
var program = "informerscope/wasm"

// isOwn reports whether the go command found a mistake in this module's own code, which no other way to build will fix.
func isOwn(err error) bool {
	var failed *toolchain.Error
	if !errors.As(err, &failed) {
		return false
	}
	own := false
	for l := range strings.Lines(failed.Said) {
		if pkg, ok := strings.CutPrefix(l, "# "); ok {
			if own = strings.HasPrefix(pkg, "informerscope/"); !own {
				return false
			}
		}
	}
	// The linker complains in the program's name.
	return own && !strings.Contains(failed.Said, "\nlink: ") && !strings.Contains(failed.Said, "relocation target")
}

// copyLoader copies the JavaScript with which this toolchain's programs are started.
func copyLoader(tc *toolchain.Toolchain, to string) error {
	var text []byte
	var err error
	for _, dir := range []string{"lib", "misc"} { // some distributions keep Go's older place for it
		if text, err = os.ReadFile(filepath.Join(tc.Root, dir, "wasm", "wasm_exec.js")); err == nil {
			return os.WriteFile(to, text, 0o644)
		}
	}
	return fmt.Errorf("%s has no lib/wasm/wasm_exec.js, which belongs to every Go that can build for a browser: install Go from https://go.dev/dl (%w)", tc.Root,
		err)
}
