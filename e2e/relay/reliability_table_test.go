//go:build linux

package relay_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"informerscope/e2e/internal/layout"
)

// TestReliabilityTable compares docs/dev/reliability.md with the tests: each test that it names exists, and it has each fault that a test injects.
func TestReliabilityTable(t *testing.T) {
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "dev", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]string{} // the test of a fault, by its name, and the file
	name := func(test string, faults []fault) {
		for _, f := range faults {
			broken[test+"/"+strings.ReplaceAll(f.name, " ", "_")] = ""
		}
	}
	name("TestReliability", slices.Concat(serverFaults, networkFaults, relayFaults, browserFaults, accessFaults, resourceFaults))
	name("TestReliabilityMinutes", minutesFaults)

	path, named := regexp.MustCompile("\\(`([^`]+_test\\.go)`\\)"), regexp.MustCompile("`(Test[^`]+)`")
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| fault ") {
			continue
		}
		rows++
		file := path.FindStringSubmatch(line)
		tests := named.FindAllStringSubmatch(line, -1)
		if file == nil || len(tests) == 0 || strings.Count(line, " | ") != 2 {
			t.Errorf("this row names no fault, promise and test: %s", line)
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, file[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, test := range tests {
			top, sub, _ := strings.Cut(test[1], "/")
			if _, ok := broken[test[1]]; ok {
				broken[test[1]] = file[1]
				// Each fault is in the function and under the name of its row.
				if !strings.Contains(string(source), `"`+strings.ReplaceAll(sub, "_", " ")+`"`) {
					t.Errorf("%s has no fault %q", file[1], sub)
				}
				continue
			}
			if strings.HasPrefix(top, "TestReliability") && sub != "" {
				t.Errorf("nothing breaks %s", test[1])
			} else if !strings.Contains(string(source), "func "+top+"(") {
				t.Errorf("%s has no %s", file[1], top)
			}
		}
	}
	for test, file := range broken {
		if file == "" {
			t.Errorf("%s is in no row", test)
		}
	}
	t.Logf("%d rows, %d faults", rows, len(broken))
}
