package command

import (
	"slices"
	"strings"
	"testing"

	"informerscope/core/lab"
	"informerscope/core/lab/action"
)

// TestEachActIsAnswered holds that each command that acts, each lever of the cluster and each fault, on and off, has a sentence that names it, in both
// languages.
func TestEachActIsAnswered(t *testing.T) {
	verbs := action.Verbs()
	for _, c := range Commands() {
		if c.Effect == Acts && !slices.ContainsFunc(verbs, func(v action.Verb) bool { return v.Command == c.Name }) {
			t.Errorf("the command %s leaves no act in the log", c.Name)
		}
	}
	var steps []action.Step
	for _, v := range verbs {
		if v.Name == "fault" {
			continue
		}
		on, off := make([]any, len(v.Args)), make([]any, len(v.Args))
		for i, a := range v.Args {
			on[i], off[i] = 2, 2
			if a.Name == "on or off" {
				on[i], off[i] = "on", "off"
			}
		}
		steps = append(steps, action.New(v.Name), action.New(v.Name, on...), action.New(v.Name, off...))
	}
	for _, f := range lab.Faults() {
		steps = append(steps, action.New("fault", f.Name))
		if f.Held {
			steps = append(steps, action.New("fault", f.Name, "on"), action.New("fault", f.Name, "off"))
		}
	}
	name := func(int32) string { return "printer" }
	for _, s := range steps {
		if en, zh := action.Words(s.String(), name); !strings.HasSuffix(en, ".") || !strings.HasSuffix(zh, "。") || strings.ContainsAny(en+zh, "{}") {
			t.Errorf("%s is answered with %q and %q", s, en, zh)
		}
	}
	if en, zh := action.Words("nothing:at:all", nil); en+zh != "" {
		t.Errorf("an act of no kind is answered with %q and %q", en, zh)
	}
}
