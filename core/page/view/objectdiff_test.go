package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// drawDiff is a diff as the page draws it.
func drawDiff(old, newer string) string {
	var b strings.Builder
	for _, l := range diffObjects(json.RawMessage(old), json.RawMessage(newer)) {
		if l.Folded > 0 {
			fmt.Fprintf(&b, "… %d\n", l.Folded)
			continue
		}
		fmt.Fprintf(&b, "%1s %s\n", l.Op, l.Text)
	}
	return b.String()
}

func TestDiffObjects(t *testing.T) {
	for _, c := range []struct{ name, old, newer, want string }{
		{"nothing differs", `{"a":1,"b":[1,2]}`, `{"b":[1,2], "a":1}`, ""},
		{"what a change is in is shown, the rest is folded",
			`{"kind":"Pod","apiVersion":"v1","x":1,"metadata":{"name":"a","labels":{"app":"a"},"resourceVersion":"4"},"spec":{"a":1,"b":2},"end":true}`,
			`{"kind":"Pod","apiVersion":"v1","x":1,"metadata":{"name":"a","labels":{"app":"b"},"resourceVersion":"5"},"spec":{"a":1,"b":2},"end":true}`,
			"… 3\n  metadata:\n    name: \"a\"\n    labels:\n-     app: \"a\"\n+     app: \"b\"\n-   resourceVersion: \"4\"\n+   resourceVersion: \"5\"\n… 4\n"},
		{"a new member stands where the new version has it", `{"a":1,"c":3}`, `{"a":1,"b":{"x":[]},"c":3}`, "  a: 1\n+ b:\n+   x: []\n  c: 3\n"},
		{"a member that is gone stands where it was", `{"a":1,"b":2,"c":3}`, `{"a":1,"c":3}`, "  a: 1\n- b: 2\n  c: 3\n"},
		{"items are paired by name, wherever they are", `{"l":[{"name":"a","v":1},{"name":"b","v":2}]}`, `{"l":[{"name":"b","v":3},{"name":"a","v":1}]}`,
			"  l:\n    [b]:\n      name: \"b\"\n-     v: 2\n+     v: 3\n… 3\n"},
		{"conditions are paired by type", `{"c":[{"type":"Ready","status":"False"}]}`, `{"c":[{"type":"Ready","status":"True"}]}`,
			"  c:\n    [Ready]:\n      type: \"Ready\"\n-     status: \"False\"\n+     status: \"True\"\n"},
		{"two of one name are paired by place", `{"l":[{"type":"IP","v":1},{"type":"IP","v":2}]}`, `{"l":[{"type":"IP","v":1},{"type":"IP","v":3}]}`,
			"  l:\n… 3\n    [1]:\n      type: \"IP\"\n-     v: 2\n+     v: 3\n"},
		{"the first of a list is gone", `{"finalizers":["a","b","c"]}`, `{"finalizers":["b","c"]}`,
			"  finalizers:\n-   [0]: \"a\"\n… 2\n"},
		{"a value of another kind", `{"a":{"b":1}}`, `{"a":"<none>"}`, "- a:\n-   b: 1\n+ a: \"<none>\"\n"},
		{"who wrote what is no change", `{"metadata":{"managedFields":[{"manager":"a"}],"v":1}}`, `{"metadata":{"managedFields":[{"manager":"b"}],"v":2}}`,
			"  metadata:\n… 3\n-   v: 1\n+   v: 2\n"},
		{"an object that was added", "", `{"metadata":{"name":"a","managedFields":[{"manager":"a"}]}}`, "+ metadata:\n+   name: \"a\"\n… 3\n"},
		{"an object that was deleted", `{"metadata":{"name":"a"}}`, "", "- metadata:\n-   name: \"a\"\n"},
		{"numbers stay as they came", `{"n":1e3}`, `{"n":12345678901234567890}`, "- n: 1e3\n+ n: 12345678901234567890\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawDiff(c.old, c.newer); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestADiffIsBounded: an object of an attacker's, or a large one, gives no more lines and no longer ones than a page can draw.
func TestADiffIsBounded(t *testing.T) {
	long := strings.Repeat("界", 5000)
	got := drawDiff(`{"data":"`+long+`a`+long+`"}`, `{"data":"`+long+`b`+long+`"}`)
	if lines := strings.Split(got, "\n"); !strings.Contains(lines[0], "界a界") || !strings.Contains(lines[1], "界b界") || len(lines[0]) > 4*maxDiffText {
		t.Errorf("what differs within a long text is %.900s", got)
	}
	many := strings.Repeat(`{"a":1},`, 5000)
	lines := diffObjects(nil, json.RawMessage(`{"l":[`+strings.TrimSuffix(many, ",")+`]}`))
	if last := lines[len(lines)-1]; len(lines) != maxDiffLines+1 || last.Folded != 10001-maxDiffLines {
		t.Errorf("%d lines, the last is %+v", len(lines), last)
	}
}

// TestADiffGoesOnlySoDeep compares objects that nest as deep as an object may, and deeper.
func TestADiffGoesOnlySoDeep(t *testing.T) {
	for _, depth := range []int{60, 70, 9_990, 1_000_000} {
		nest := func(inner string) json.RawMessage {
			return json.RawMessage(`{"spec":` + strings.Repeat("[", depth) + inner + strings.Repeat("]", depth) + `,"after":1}`)
		}
		lines := diffObjects(nest("1"), nest("2"))
		if len(lines) < 2 && depth < 10_000 || len(lines) > maxDiffLines+1 {
			t.Errorf("nested %d times, %d lines differ", depth, len(lines))
		}
		for _, line := range lines {
			if len(line.Text) > 1000 {
				t.Errorf("nested %d times, a line has %d bytes", depth, len(line.Text))
			}
		}
	}
}

// TestTheLastDiffIsThatOfItsVersions asks for diffs that differ in one version, or are absent, one after the other.
func TestTheLastDiffIsThatOfItsVersions(t *testing.T) {
	var last lastDiff
	versions := []json.RawMessage{nil, json.RawMessage(`{"a":1}`), json.RawMessage(`{"a":2}`), json.RawMessage(`{"a":2}`)}
	for _, old := range versions {
		for _, current := range versions {
			if got, want := last.find(old, current), diffObjects(old, current); !slices.Equal(got, want) {
				t.Errorf("from %s to %s: %v, want %v", old, current, got, want)
			}
		}
	}
}
