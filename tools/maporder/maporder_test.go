package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSamples holds what is found against what the samples say of themselves: `// want "words"` on the line, `want-1` on the next.
func TestSamples(t *testing.T) {
	const file = "testdata/samples/samples.go"
	found, err := run([]string{"informerscope/tools/maporder/testdata/samples"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted := regexp.MustCompile(`// want(-1)? "(.*)"`)
	want := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := wanted.FindStringSubmatch(line); m != nil {
			at := i + 1
			if m[1] != "" {
				at--
			}
			want[fmt.Sprintf("%s:%d: ", file, at)] = m[2]
		}
	}
	if len(want) < 20 {
		t.Fatalf("the samples want only %d findings", len(want))
	}
	for _, f := range found {
		at := f[:strings.Index(f, ": ")+2]
		switch words, ok := want[at]; {
		case !ok:
			t.Errorf("found where nothing is: %s", f)
		case !strings.Contains(f, words):
			t.Errorf("%s: want %q", f, words)
		}
		delete(want, at)
	}
	for at, words := range want {
		t.Errorf("%snothing is found, want %q", at, words)
	}
}
