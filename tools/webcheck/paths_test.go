package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"informerscope/core/log/facts"
	"informerscope/core/page/view"
)

var (
	// argument matches one of a sentence's arguments, such as n=exact queue.depth - 5: its expression follows.
	argument = regexp.MustCompile(`^\w+=(\w+) `)
	// bound matches a text of the page that is bound: all arguments of a sentence, or a path where only a path can be.
	bound = regexp.MustCompile("['`](\\w+=(?:exact|span|count|about|version|remainder|same|seconds|bytes|moment) [^'`]*)['`]" +
		`|(?:\.bind\([^,]+, |\bwait\(o, |\b(?:path|number|under|side): )'([^']+)'`)
	substitute = regexp.MustCompile(`\$\{[^}]*\}`)
	step       = regexp.MustCompile(`[.\[]`)
)

// pathRoots are what a path of the page can begin with; any other begins in State. See web/kit/bind.js.
var pathRoots = map[string]reflect.Type{
	"facts": reflect.TypeFor[facts.Facts](), "view": reflect.TypeFor[view.Position](), "factory": reflect.TypeFor[facts.Factory](),
	"state": reflect.TypeFor[view.StateChange](), "lanes": reflect.TypeFor[[]view.StateChange](),
}

// TestPathsOfThePage reads what texts of the page are bound to: each path leads to a member of State, of the facts or of the view. One that led nowhere would
// show as NaN, or as nothing.
func TestPathsOfThePage(t *testing.T) {
	found := 0
	for _, pattern := range []string{"../../web/*.js", "../../web/*/*.js"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range bound.FindAllStringSubmatch(string(content), -1) {
				for _, path := range pathsIn(m[1] + m[2]) {
					found++
					if bad := follow(path); bad != "" {
						t.Errorf("%s: %q has %q, where there is no %s", filepath.ToSlash(file), m[1]+m[2], path, bad)
					}
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d paths; they are read otherwise than they are written", found)
	}
	for path, want := range map[string]string{"reflector.events": "", "lanes.1.queue.depth": "", "facts.deltas": "", "reflector.bookmark": "bookmark",
		"queu.depth": "queu", "holds[stage=pop].queued": "queued"} {
		if got := follow(path); got != want {
			t.Errorf("%s: no %q, want %q", path, got, want)
		}
	}
}

// pathsIn returns the paths in what a text is bound to.
func pathsIn(text string) (paths []string) {
	for arg := range strings.SplitSeq(substitute.ReplaceAllString(text, "1"), "; ") {
		for i, word := range strings.Fields(argument.ReplaceAllString(arg, "")) {
			isOperand := i%2 == 0 && (strings.Contains(word, "[") || !strings.Contains(word, "=")) // an argument may end with what the code adds
			if isOperand && word != "now" && !strings.ContainsAny(word[:1], "0123456789") {
				paths = append(paths, word)
			}
		}
	}
	return paths
}

// follow returns the step of a path that leads nowhere, empty if all lead to something.
func follow(path string) string {
	if path == "atMillis" || path == "seq" {
		path = "view." + path
	}
	steps := step.Split(path, -1)
	typ := pathRoots[steps[0]]
	if typ == nil {
		typ = pathRoots["state"]
	} else {
		steps = steps[1:]
	}
	for _, name := range steps {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch typ.Kind() {
		case reflect.Map, reflect.Interface:
			return ""
		case reflect.Slice: // an index, or key=value]
			typ = typ.Elem()
		case reflect.Struct:
			field := member(typ, name)
			if field == nil {
				return name
			}
			typ = field
		default:
			return name
		}
	}
	return ""
}

// member returns the type of a struct's member by its name in JSON, nil if there is none.
func member(typ reflect.Type, name string) reflect.Type {
	for _, f := range reflect.VisibleFields(typ) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return f.Type
		}
	}
	return nil
}
