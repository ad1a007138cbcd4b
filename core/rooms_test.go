// Package core has no code: it holds the order of the rooms below it.
package core

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms are the folders of core/, each above those that it may import.
var rooms = []string{"words", "informer", "client", "cluster", "log", "ask", "wire", "lab", "page"}

// maxArrows bounds how many pairs of rooms there are of which one imports the other.
const maxArrows = 24

// TestRooms: core/ has these rooms and no other, and no room imports one above it. Tests may import what they like.
func TestRooms(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(rooms, e.Name()) {
			t.Errorf("core/%s is no room: put it into one of %s", e.Name(), strings.Join(rooms, ", "))
		}
	}
	arrows := map[[2]string]bool{}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (strings.HasSuffix(name, "test") || name == "conformance" || name == "testdata") {
			return fs.SkipDir // only tests import these
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			below, ok := strings.CutPrefix(imported, "informerscope/core/")
			if !ok {
				continue
			}
			to, _, _ := strings.Cut(below, "/")
			if from == to {
				continue
			}
			arrows[[2]string{from, to}] = true
			if slices.Index(rooms, to) > slices.Index(rooms, from) {
				t.Errorf("%s imports core/%s, which is above it", path, below)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d arrows between %d rooms", len(arrows), len(rooms))
	if len(arrows) > maxArrows {
		t.Errorf("%d arrows between the rooms, more than %d", len(arrows), maxArrows)
	}
}
