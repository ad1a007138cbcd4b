package doctables

import (
	"strings"
	"testing"
)

func TestTablesAreReplaced(t *testing.T) {
	const page = "a\n<!-- x: written by make -->\nold\n<!-- end of x -->\nb\n"
	got, err := fill(page, "make", map[string]string{"x": "| 1 |\n"})
	if want := "a\n<!-- x: written by make -->\n\n| 1 |\n\n<!-- end of x -->\nb\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if again, err := fill(got, "make", map[string]string{"x": "| 1 |\n"}); err != nil || again != got {
		t.Errorf("the second time: %q, %v", again, err)
	}
	if _, err := fill(page, "make", map[string]string{"y": ""}); err == nil || !strings.Contains(err.Error(), "no place") {
		t.Errorf("a table that has no place: %v", err)
	}
}
