package promises

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"informerscope/core/page/story"
	"informerscope/core/page/story/storyfile"
	"informerscope/stories"
	"informerscope/tools/doctables"
)

//go:generate go test -run TestStoryList . -write-stories

var writeStories = flag.Bool("write-stories", false, "write the table of docs/story-list.md")

// TestStoryList compares the list of stories in docs/story-list.md with the stories' files, or writes it.
func TestStoryList(t *testing.T) {
	all, err := storyfile.ReadAll(stories.Files)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(all, func(a, b *story.Story) int { return cmp.Compare(a.Order, b.Order) })
	var b strings.Builder
	b.WriteString("| id | story | what it shows | |\n|-|-|-|-|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.ID, doctables.Cell(s.Title.EN), doctables.Cell(s.Lesson.EN), doctables.Cell(s.Title.ZH))
	}
	doctables.Hold(t, "../../docs/story-list.md", "go generate ./tools/promises", *writeStories, map[string]string{"stories": b.String()})
}
