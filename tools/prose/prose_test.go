package main

import "testing"

func TestCompare(t *testing.T) {
	const text = "# Head\n\n<!-- finds A.B -->\n\n- bad\n// - worse\n\n<!-- finds nothing -->\n\n- good\n"
	if err := compare("a", text, map[string][]string{"a:5": {"A.B"}, "a:6": {"A.B", "A.B"}}); err != nil {
		t.Error(err)
	}
	for what, found := range map[string]map[string][]string{
		"nothing found":      {},
		"another rule":       {"a:5": {"A.B"}, "a:6": {"A.C"}},
		"one that is good":   {"a:5": {"A.B"}, "a:6": {"A.B"}, "a:10": {"A.B"}},
		"one outside of all": {"a:1": {"A.B"}, "a:5": {"A.B"}, "a:6": {"A.B"}},
	} {
		if compare("a", text, found) == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
