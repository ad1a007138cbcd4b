package doctor_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"informerscope/core/ask/doctor"
	"informerscope/core/page/story"
	"informerscope/stories"
	"informerscope/tools/doctables"
)

//go:generate go test -run ^TestTheDocumentHasTheRules$ -write-doctor

var writeDoctor = flag.Bool("write-doctor", false, "write the table of docs/doctor.md")

// TestTheDocumentHasTheRules compares the table in docs/doctor.md with the rules; go generate ./core/ask/doctor writes it.
func TestTheDocumentHasTheRules(t *testing.T) {
	var b strings.Builder
	b.WriteString("| rule | what it sees | advice | story |\n|-|-|-|-|\n")
	for _, r := range doctor.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", r.Name, doctables.Cell(r.Sees), cmp.Or(doctables.Cell(r.Advice.EN), "depends on the cause"), r.Story)
	}
	doctables.Hold(t, "../../../docs/doctor.md", "go generate ./core/ask/doctor", *writeDoctor, map[string]string{"rules": b.String()})
}

// TestStoriesExplainTheRules holds that there is the story that a rule names.
func TestStoriesExplainTheRules(t *testing.T) {
	all, err := story.Load(stories.Packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range doctor.Rules() {
		if !slices.ContainsFunc(all, func(s *story.Story) bool { return s.ID == r.Story }) {
			t.Errorf("%s: there is no story %q", r.Name, r.Story)
		}
	}
}
