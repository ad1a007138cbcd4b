package storyfile

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"informerscope/core/page/story"
	"informerscope/stories"
)

var update = flag.Bool("update", false, "rewrite stories/stories.json")

// TestThePagesStoriesAreThoseOfTheFiles holds what the page carries against the files; go generate ./stories writes it.
func TestThePagesStoriesAreThoseOfTheFiles(t *testing.T) {
	packed, err := Pack(stories.Files)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../../../../stories/stories.json", packed, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(packed, stories.Packed) {
		t.Error("stories/stories.json is not what the files say: go generate ./stories")
	}
}

var (
	inEnglish = regexp.MustCompile(`(?:^|[{,\s])en:`)
	inChinese = regexp.MustCompile(`(?:^|[{,\s])zh:`)
)

// TestThePagesStoriesHaveBothLanguages: a story of somebody else may do with English, one of the page may not.
func TestThePagesStoriesHaveBothLanguages(t *testing.T) {
	files, err := fs.Glob(stories.Files, "*.yaml")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d stories: %v", len(files), err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(stories.Files, file)
		if en, zh := len(inEnglish.FindAll(text, -1)), len(inChinese.FindAll(text, -1)); err != nil || en == 0 || en != zh {
			t.Errorf("%s has %d texts in English, %d in Chinese: %v", file, en, zh, err)
		}
	}
	alone := regexp.MustCompile(`(?m), zh: B|^ *zh:.*\n`).ReplaceAllString(example, "")
	one, err := Read("alone.yaml", []byte(alone))
	if err != nil || one.Title.EN != "A" || one.Title.ZH != "A" {
		t.Errorf("in English alone: %+v, %v", one, err)
	}
}

// TestEveryStoryHasAPlaceOfItsOwn holds the order of the chooser: in each group the stories are numbered from 1 on.
func TestEveryStoryHasAPlaceOfItsOwn(t *testing.T) {
	all, err := story.Load(stories.Packed)
	if err != nil {
		t.Fatal(err)
	}
	places := map[string][]int{}
	for _, s := range all {
		places[s.Group] = append(places[s.Group], s.Order)
	}
	for _, g := range story.Groups {
		orders := places[g.ID]
		slices.Sort(orders)
		for i, place := range orders {
			if place != i+1 {
				t.Errorf("the places of group %s are %v", g.ID, orders)
				break
			}
		}
	}
}

const example = `title: {en: A, zh: B}
lesson: {en: A, zh: B}
group: order
eras: ["1.37"]
cluster: {seed: 1, objects: 3}
steps:
  - name: {en: A, zh: B}
    look: [queue]
    caption:
      en: There are {queue.depth}.
      zh: 有 {queue.depth}。
      claim: queue.depth >= 0
    do:
      - hold: pop
      - pace: [mailer, 3]
    until: queue.depth > 3
take: {en: A, zh: B, go: "func x() {}", see: [a]}
`

func TestTheExampleIsRead(t *testing.T) {
	if _, err := Read("example.yaml", []byte(example)); err != nil {
		t.Fatal(err)
	}
}

// TestErrorsSayWhereAndWhatWasExpected spoils the example in one place at a time.
func TestErrorsSayWhereAndWhatWasExpected(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"lesson: {en: A, zh: B}", "lesson: {zh: B}", `example.yaml:2: a lesson needs "en"`},
		{"title:", "titel:", `example.yaml:1: a story has no "titel"; it has title, lesson, group,`},
		{"group: order", "group: other", `example.yaml:3: a group is one of start, store, missed, handlers, workers, sync, breaks, order, memory, and not "other"`},
		{`eras: ["1.37"]`, `eras: ["1.30"]`, `example.yaml:4: `},
		{"objects: 3", "objects: 3, transform: all", `example.yaml:5: a transform is one of off, managedFields, metadata, and not "all"`},
		{"objects: 3", "objects: 3, selector: tier in data", `example.yaml:5: "tier in data" is not a label selector; one looks like app=cart`},
		{"objects: 3", "objects: many", `example.yaml:5: a whole number from 0 to 5000 is expected here`},
		{"look: [queue]", "look: [queu]", `example.yaml:8: a station is one of api, reflector, queue, indexer, listeners, controller, and not "queu"`},
		{"      claim: queue.depth >= 0\n", "", `example.yaml:10: a caption needs "claim"`},
		{"      zh: 有 {queue.depth}。", "      zh: 有", `example.yaml:10: the languages differ`},
		{"There are {queue.depth}", "There are {queue.dept}", `example.yaml:10: the sentence "There are {queue.dept}.": column 18: there is no "dept" here`},
		{"claim: queue.depth >= 0", "claim: queue.depth", `example.yaml:12: the condition "queue.depth": column 1: this is a number`},
		{"- hold: pop", "- hald: pop", `example.yaml:14: "hald" is not a command for stories; there are addIndex,`},
		{"- hold: pop", "- hold: lid", `example.yaml:14: hold: the argument "stage" is one of`},
		{"- hold: pop", "- select: {}", `example.yaml:14: "select" is not a command for stories`},
		{"- hold: pop", "- hold", `example.yaml:14: a call is expected here: a command and what it takes`},
		{"until: queue.depth > 3", "until: queue.depth > x", `example.yaml:16: the condition "queue.depth > x": column 15: there is no "x"`},
		{"    do:\n      - hold: pop\n      - pace: [mailer, 3]\n    until: queue.depth > 3\n", "    after: {en: A, zh: B, claim: synced}\n",
			`example.yaml:7: a step with "after" needs "do", "until" or "reader"`},
		{"    until: queue.depth > 3\n", "    rest: long\n", `example.yaml:16: a number of seconds from 0 to 300 is expected here`},
		{"    until: queue.depth > 3\n", "    window: 0.0001\n", `example.yaml:16: a window lasts 0.001 s at least`},
		{"    until: queue.depth > 3\n", "    reader: {en: A, zh: B, how: {en: A, zh: B}, call: {hold: pop}}\n", `example.yaml:16: what the reader is asked to do needs "done"`},
		{"    until: queue.depth > 3\n", "    reader: {en: A, zh: B, how: {en: A, zh: B}, call: {hold: lid}, done: synced}\n", `example.yaml:16: hold: the argument "stage"`},
		{"    until: queue.depth > 3\n", "    question: {en: A, zh: B, claim: synced, answers: [{en: A, zh: B, right: synced}]}\n",
			`example.yaml:16: a question has from 2 to 4 answers`},
		{"    until: queue.depth > 3\n", "    question: {en: A, zh: B, claim: synced, answers: [{en: A, zh: B}]}\n", `example.yaml:16: an answer needs "right"`},
		{"    until: queue.depth > 3\n", "    question: {en: A, zh: B, answers: [{en: A, zh: B, right: synced}, {en: A, zh: B, right: not synced}]}\n",
			`example.yaml:16: a question needs "claim"`},
		{"    until: queue.depth > 3\n", "    question: {en: A, zh: B, claim: synced, answers: [{en: A, zh: B, right: synced}, {en: A, zh: B, right: not synced}]}\n",
			`example.yaml:7: a step with "question" needs "until"`},
		{"    until: queue.depth > 3\n", "    ride: queue.depth\n", `example.yaml:16: the ride "queue.depth": column 1: this is a number, and the key of an object`},
		{"    until: queue.depth > 3\n", "    ride: queue.items[0].kee\n", `example.yaml:16: the ride "queue.items[0].kee": column 16: there is no "kee"`},
		{"    until: queue.depth > 3\n", "    ride: [a]\n", `example.yaml:16: a text is expected here`},
		{"    until: queue.depth > 3\n", "    ride: api.wire[0].key\n    rest: 5\n", `example.yaml:7: a step with "ride" has no "rest"`},
		{"group: order", "group: order\ngroup: order", `example.yaml:4: "group" appears here twice`},
		{"group: order", "group: order\nlevels: [{en: A, zh: B}]", `example.yaml:1: a story has from 2 to 3 levels, or none`},
		{"group: order", "group: order\nlevels: [{zh: B}, {en: A, zh: B}]", `example.yaml:4: a level needs "en"`},
		{"group: order", "group: order\nletters: [cart]", `example.yaml:4: letters are expected here, each with a part of an object's key`},
		{"group: order", "group: order\nletters: {}", `example.yaml:4: letters are expected here`},
		{"group: order", "group: order\nletters: {a: cart}", `example.yaml:4: a letter is one of A to Z, and not "a"`},
		{"group: order", "group: order\nletters: {AB: cart}", `example.yaml:4: a letter is one of A to Z, and not "AB"`},
		{"group: order", "group: order\nletters: {A: }", `example.yaml:4: a text is expected here`},
		{"group: order", "group: order\nletters:\n  A: cart\n  A: web", `example.yaml:6: "A" appears here twice`},
		{"group: order", "group: order\nletters:\n  A: cart\n  B: cart", `example.yaml:6: "cart" has a letter already`},
		{"    until: queue.depth > 3\n", "    level: 1\n", `example.yaml:1: the first and the last step are for all levels`},
		{"    until: queue.depth > 3\n", "    level: 4\n", `example.yaml:16: a whole number from 1 to 3 is expected here`},
		{"title: {en: A, zh: B}", "title: {en: A, zh: B", `example.yaml:`},
		{example, "", `example.yaml:1: the file is empty`},
	} {
		_, err := Read("example.yaml", []byte(strings.Replace(example, tt.from, tt.to, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.40q: %v\nwant %s", tt.to, err, tt.want)
		}
	}
	riding := strings.Replace(example, "    until: queue.depth > 3\n", "    ride: api.wire[0].key\n", 1)
	if s, err := Read("example.yaml", []byte(riding)); err != nil || s.Steps[0].Ride.String() != "api.wire[0].key" {
		t.Errorf("a step that rides: %v", err)
	}
	two := strings.Replace(riding, `eras: ["1.37"]`, `eras: ["1.31,1.37"]`, 1)
	if _, err := Read("example.yaml", []byte(two)); err == nil || !strings.HasPrefix(err.Error(), `example.yaml:1: a step with "ride" follows one informer`) {
		t.Errorf("a step that rides in two releases: %v", err)
	}
	if _, err := Read("Not An Id.yaml", []byte(example)); err == nil {
		t.Error("a file whose name is no id is read")
	}
}
