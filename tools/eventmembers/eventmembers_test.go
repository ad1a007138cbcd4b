package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSamples holds what is found against what the samples say of themselves.
func TestSamples(t *testing.T) {
	const file = "testdata/samples/samples.go"
	found, err := run("../../"+table, []string{"informerscope/tools/eventmembers/testdata/samples"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wanted := regexp.MustCompile(`// want "(.*)"`)
	var want []string
	for i, line := range strings.Split(string(text), "\n") {
		if m := wanted.FindStringSubmatch(line); m != nil {
			want = append(want, fmt.Sprintf("%s:%d: %s", file, i+1, m[1]))
		}
	}
	if got := strings.Join(found, "\n"); len(want) < 5 || got != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestTheTableIsRead: without it nothing would be found.
func TestTheTableIsRead(t *testing.T) {
	if _, err := read("testdata/samples/samples.go"); err == nil {
		t.Error("a file without a table is read as one")
	}
}
