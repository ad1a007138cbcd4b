// Package doctables keeps tables of a Markdown document the same as what the code says. A test makes the rows from the code; with its
// flag for writing (go generate runs it) it writes them, and without it fails where the document differs.
//
// In the document a table stands between two comments:
//
//	<!-- flags: written by go generate ./server -->
//	…
//	<!-- end of flags -->
package doctables

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Hold compares the tables of the document at path with rows, by name, or writes them. The command by is the one that writes them.
func Hold(t testing.TB, path, by string, write bool, rows map[string]string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(string(page), by, rows)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	switch {
	case want == string(page):
	case write:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs from the code; %s writes it", path, by)
	}
}

// fill returns a document with its tables replaced.
func fill(page, by string, rows map[string]string) (string, error) {
	for name, table := range rows {
		begin := "<!-- " + name + ": written by " + by + " -->\n"
		end := "<!-- end of " + name + " -->\n"
		before, rest, ok := strings.Cut(page, begin)
		_, after, ends := strings.Cut(rest, end)
		if !ok || !ends {
			return "", fmt.Errorf("there is no place for the table of %s: write %q and %q", name, begin, end)
		}
		page = before + begin + "\n" + table + "\n" + end + after
	}
	return page, nil
}

// Cell is a text as it stands in a cell of a table.
func Cell(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`, "\n", " ").Replace(text)
}
