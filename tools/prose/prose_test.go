package main

import (
	"slices"
	"strings"
	"testing"
)

// What stands in the Markdown that is made of comments, on which line of the source.
func TestComments(t *testing.T) {
	for _, c := range []struct {
		what, name, src string
		want            []string // "line text", without empty lines
	}{
		{"Go's comments", "a.go", "// Package a is one.\n// It goes on.\npackage a\n\nvar x = \"// no comment\" // behind code\n\n/* a\n   block */\n",
			[]string{"1 Package a is one.", "2 It goes on.", "5 behind code", "7 a", "8 block"}},
		{"code, lists and links of Go", "a.go", "// A is [A.b] <x>:\n//\n//\tcode here\n//\n//   - an item\n//     of two lines\n//\n// After.\npackage a\n",
			[]string{"1 A is `A.b` ‹x›:", "5 - an item", "6 of two lines", "8 After."}},
		{"directives", "a.go", "//go:build linux\n\n// A.\n//\n//nolint:all\npackage a\n", []string{"3 A."}},
		{"an exception", "a.go", "// A era.\n//\n//prose:allow Plain.Terms because\npackage a\n\n// B.\n",
			[]string{"1 <!-- vale Plain.Terms = NO -->", "1 A era.", "3 <!-- vale Plain.Terms = YES -->", "6 B."}},
		{"lines of JavaScript", "a.js", "// @ts-check\n// One.\n// Two.\nlet a = 1; // three\n// four\n", []string{"2 One.", "3 Two.", "4 three", "5 four"}},
		{"JSDoc", "a.js", "/**\n * It moves. @param {{a: number}} x the first\n * @param y - the second\n * @returns {Map<string,\n *   number>} what is left\n */\n",
			[]string{"2 It moves.", "2 the first", "3 the second", "5 what is left"}},
		{"one line of JSDoc", "a.js", "/** What it has. @type {string} */\n", []string{"1 What it has."}},
		{"what is no comment in JavaScript", "a.js", "a = 'http://x' + \"//\" + `//${b ? `//` : '}'}//` + /[/]\\//.test(c) / 2; // is one\nreturn /\\/\\/a/ // two\n",
			[]string{"1 is one", "2 two"}},
		{"texts of a story", "a.yaml", "title: {en: A pod, zh: 一个}\nsteps:\n  - caption:\n      en: It moves.\n      claim: en == 1\n",
			[]string{"1 A pod", "4 It moves."}},
	} {
		all, err := comments(c.name, []byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		text, lines := markdown(all)
		var got []string
		for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			if i >= len(lines) {
				t.Fatalf("%s: there are more lines than places: %q", c.what, text)
			}
			if line != "" {
				got = append(got, string(rune('0'+lines[i]))+" "+line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.what, got, c.want)
		}
	}
	if _, err := comments("a.css", nil); err == nil {
		t.Error("a style sheet was taken")
	}
}

func TestCompare(t *testing.T) {
	const text = "# Head\n\n<!-- finds A.B -->\n\n- bad\n- worse\n\n<!-- finds nothing -->\n\n- good\n"
	if err := compare([]byte(text), map[int][]string{5: {"A.B"}, 6: {"A.B", "A.B"}}); err != nil {
		t.Error(err)
	}
	for what, found := range map[string]map[int][]string{
		"nothing found":      {},
		"another rule":       {5: {"A.B"}, 6: {"A.C"}},
		"one that is good":   {5: {"A.B"}, 6: {"A.B"}, 10: {"A.B"}},
		"one outside of all": {1: {"A.B"}, 5: {"A.B"}, 6: {"A.B"}},
	} {
		if compare([]byte(text), found) == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
