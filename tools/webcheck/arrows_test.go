package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folders are the folders of web/, from the top of the house down. What is at web/'s top has "." here.
var folders = []string{".", "page", "views", "hall", "story", "object", "time", "stage", "rows", "bars", "wire", "kit"}

var imported = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?'(\.[^']*)';`)

// TestImportsRunDownTheHouse holds that a script imports from its own folder and those below it alone.
func TestImportsRunDownTheHouse(t *testing.T) {
	inFolder := map[string]int{}
	for file, text := range page(t, ".js") {
		file = strings.TrimPrefix(file, "../../web/")
		from := path.Dir(file)
		storey := slices.Index(folders, from)
		if storey < 0 {
			t.Errorf("%s: folders has no %s", file, from)
			continue
		}
		inFolder[from]++
		for _, m := range imported.FindAllStringSubmatch(text, -1) {
			to := path.Dir(path.Join(from, m[1]))
			if to != from && slices.Index(folders, to) <= storey {
				t.Errorf("%s imports %s, from a folder that is not below its own", file, m[1])
			}
		}
	}
	for _, folder := range folders {
		if inFolder[folder] < 2 {
			t.Errorf("%s has %d scripts", folder, inFolder[folder])
		}
	}
}
