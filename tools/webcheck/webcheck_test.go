package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// tscForTest is the compiler; where there can be none the test is left out, but not in CI, where it would not be noticed.
func tscForTest(t *testing.T) string {
	t.Helper()
	tsc, err := compiler(".")
	if errors.Is(err, errLeftOut) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tsc
}

func TestThePageHasTheTypesThatItSays(t *testing.T) {
	found, err := check(tscForTest(t), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f.text)
	}
}

// TestScripts runs the tests beside the page's scripts, which need no browser.
func TestScripts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("Node.js is not installed: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	page(t, ".js") // so that a changed script is tested again
	files := slices.Sorted(maps.Keys(page(t, ".mjs")))
	out, err := exec.Command(node, append([]string{"--test", "--test-reporter=tap"}, files...)...).CombinedOutput()
	if passed := regexp.MustCompile(`(?m)^# pass ([1-9]\d*)$`); err != nil || !passed.Match(out) {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}

// A check that looks at no file, or at everything as any, finds nothing either.
func TestWhatIsOfAnotherTypeIsFound(t *testing.T) {
	tsc := tscForTest(t)
	types, err := filepath.Abs(filepath.Join("..", "..", "web", "wire", "types.js"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := filepath.Abs("tsconfig.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tsconfig.json": `{"extends": "` + filepath.ToSlash(config) + `", "include": ["*.js"]}`,
		"good.js":       "/** @param {import('" + filepath.ToSlash(types) + "').Queue} q */\nexport const deep = (q) => q.depth > 3;\n",
		"bad.js":        "/** @param {import('" + filepath.ToSlash(types) + "').Queue} q */\nexport const deep = (q) => q.deepness > 3;\n",
		"loose.js":      "export const deep = (q) => q.depth > 3;\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := compile(tsc, dir, "tsconfig.json")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, filepath.Base(f.file))
		t.Log(f.text)
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"bad.js", "loose.js"}) {
		t.Errorf("found something in %v, want bad.js and loose.js", got)
	}
}
