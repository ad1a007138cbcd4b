package repack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// buildModule is a program as Go builds it for WebAssembly.
func buildModule(t *testing.T, source string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.24\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "m.wasm")
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const program = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

type node struct {
	next *node
	text string
}

// inner is inlined into outer, and its stack is unwound through it.
func inner(n int) string {
	if n == 7 {
		panic("seven")
	}
	return strings.Repeat("x", n)
}

//go:noinline
func outer(n int) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	return inner(n), nil
}

//go:noinline
func deep(n int) *node {
	if n == 0 {
		runtime.GC()
		return nil
	}
	own := &node{text: fmt.Sprint(n)}
	own.next = deep(n - 1)
	return own
}

func main() {
	sum := 0
	for round := range 20 {
		list := deep(200 + round)
		runtime.GC()
		for n := list; n != nil; n = n.next {
			sum += len(n.text)
		}
	}
	_, err := outer(7)
	pc, _, _, ok := runtime.Caller(0)
	fmt.Println(sum, err, runtime.FuncForPC(pc).Name(), ok)
	if len(os.Args) > 1 {
		var nothing *node
		fmt.Println(nothing.text)
	}
}
`

// run starts a program with Node and returns what it printed and what it said of its end.
func run(t *testing.T, wasm []byte, args ...string) (out, said string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("left out: there is no Node, which runs the program")
	}
	file := filepath.Join(t.TempDir(), "m.wasm")
	if err := os.WriteFile(file, wasm, 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	c := exec.Command(node, append([]string{"--stack-size=8192", loader, file}, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH")}
	var outs, errs bytes.Buffer
	c.Stdout, c.Stderr = &outs, &errs
	err = c.Run()
	if (err != nil) != (len(args) > 0) {
		t.Errorf("it ended with %v: %s", err, &errs)
	}
	return outs.String(), errs.String()
}

func TestARepackedProgramDoesTheSame(t *testing.T) {
	before := buildModule(t, program)
	got, err := Repack(before)
	if err != nil {
		t.Fatal(err)
	}
	wantOut, _ := run(t, before)
	gotOut, _ := run(t, got)
	if gotOut != wantOut || !strings.Contains(gotOut, "recovered: seven main.main true") {
		t.Errorf("it prints %q, printed %q before", gotOut, wantOut)
	}
	_, wantSaid := run(t, before, "fail")
	_, gotSaid := run(t, got, "fail")
	if !strings.Contains(wantSaid, "main.go:") || strings.Contains(gotSaid, "main.go") {
		t.Errorf("before, a stack has lines, and after it has none:\n%s\n%s", wantSaid, gotSaid)
	}
	for _, word := range []string{"invalid memory address or nil pointer dereference", "main.main()"} {
		if !strings.Contains(wantSaid, word) || !strings.Contains(gotSaid, word) {
			t.Errorf("a stack names no %q:\n%s\n%s", word, wantSaid, gotSaid)
		}
	}
	again, err := Repack(got)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, got) {
		t.Error("to repack it once more changes it")
	}
}

// odd is a program whose table of functions says that its entries are far behind its end.
func odd(text []byte) []byte {
	text = bytes.Clone(text)
	copy(text[bytes.Index(text, magic)+headerEntries:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	return text
}

// Whatever the file is, the answer is a program or an error.
func TestWhatIsNoProgram(t *testing.T) {
	whole := buildModule(t, "package main\n\nfunc main() { println(1) }\n")
	for name, text := range map[string][]byte{
		"nothing":           nil,
		"text":              []byte("<!doctype html><title>404</title>"),
		"a header":          whole[:8],
		"half":              whole[:len(whole)/2],
		"a module's end":    append(bytes.Clone(whole), 11),
		"no table":          bytes.ReplaceAll(whole, magic, []byte("12345678")),
		"an odd table":      odd(whole),
		"data of no memory": append([]byte(header), sectionData, 4, 1, 1, 1, 0),
		"data far away":     append([]byte(header), sectionData, 9, 1, 0, opI32Const, 0xff, 0xff, 0xff, 0xff, 0x07, opEnd),
	} {
		if _, err := Repack(text); err == nil {
			t.Errorf("%s is repacked", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

func FuzzAll(f *testing.F) {
	f.Add([]byte(header))
	f.Add(append([]byte(header), sectionData, 7, 1, 0, opI32Const, 16, opEnd, 1, 7))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := Repack(text); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
