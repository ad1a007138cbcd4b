package releases

import (
	"slices"
	"strings"
	"testing"
)

// TestNames checks that each release can be named, and that the name is read back as the same release.
func TestNames(t *testing.T) {
	for _, r := range All() {
		if got, err := Parse(r.String()); err != nil || got != r {
			t.Errorf("Parse(%q) = %v, %v", r, got, err)
		}
		if !strings.HasPrefix(r.Label(), r.String()) {
			t.Errorf("%s is labelled %q", r, r.Label())
		}
	}
	if got, err := Parse(""); err != nil || got != Default || Default.String() != Standard.String() || Default.Label() != Standard.Label() {
		t.Errorf("an empty name is %v, %v", got, err)
	}
	if got, _ := Parse("1.36"); got != V137 {
		t.Errorf("1.36 is read as %s", got)
	}
	if _, err := Parse("1.39"); err == nil || !strings.Contains(err.Error(), "1.37 or 1.38") {
		t.Errorf("1.39: %v", err)
	}
	if !slices.IsSortedFunc(All(), func(a, b Release) int { return int(b) - int(a) }) || len(All()) != len(names)-1 {
		t.Errorf("All() = %v", All())
	}
}

// TestStandard checks that a release that is not named behaves as the standard one, which is no beta.
func TestStandard(t *testing.T) {
	if Default.Behaviour() != Standard.Behaviour() || V137.Behaviour() == V138.Behaviour() {
		t.Error("a release that is not named behaves otherwise than the standard one, or 1.38 as 1.37")
	}
	if strings.Contains(Standard.Label(), "beta") {
		t.Errorf("the standard release is %s", Standard.Label())
	}
}

// TestIsNewer checks which names are those of releases that do not exist yet.
func TestIsNewer(t *testing.T) {
	for name, want := range map[string]bool{"1.39": true, "1.40": true, "1.38": false, "1.37": false, "1.36": false, "2.1": false, "1.039": false,
		"1.x": false, "": false} {
		if got := IsNewer(name); got != want {
			t.Errorf("IsNewer(%q) = %v", name, got)
		}
	}
}
