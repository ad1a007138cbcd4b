package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"informerscope/core/informer"
)

// row is one line of the table: a script, or a test that is not one, for one
// numbered behaviour, in the eras in which it is to be seen.
type row struct {
	item int
	name string
	eras []informer.Era
	// script is played to both, and all that is seen must be equal.
	script func(era informer.Era) *script
	// want are patterns that what is seen of client-go must have, avoid those
	// it must not have: they show that the script does meet the behaviour.
	want, avoid []string
	// check looks closer at what was seen of client-go.
	check func(t *testing.T, era informer.Era, seen *outcome)
	// test takes the place of all that; it compares the two libraries by itself.
	test func(t *testing.T, era informer.Era)
}

// The groups of eras that behave alike.
var (
	all      = eras
	listing  = []informer.Era{informer.Era131, informer.Era133}
	watching = []informer.Era{informer.Era135, informer.Era137}
	deltas   = []informer.Era{informer.Era131}
	real     = []informer.Era{informer.Era133, informer.Era135, informer.Era137}
	perItem  = []informer.Era{informer.Era131, informer.Era133, informer.Era135} // AtomicFIFO is off
	realEach = []informer.Era{informer.Era133, informer.Era135}                  // RealFIFO, AtomicFIFO is off
	batched  = []informer.Era{informer.Era135, informer.Era137}
	atomic   = []informer.Era{informer.Era137}
)

func (r *row) id() string { return fmt.Sprintf("%03d_%s", r.item, r.name) }

// TestItem plays the table.
func TestItem(t *testing.T) {
	seen := map[string]bool{}
	for i := range table {
		r := &table[i]
		if seen[r.id()] {
			t.Fatalf("two rows are called %s", r.id())
		}
		seen[r.id()] = true
		t.Run(r.id(), func(t *testing.T) {
			for _, era := range r.eras {
				t.Run(era.String(), func(t *testing.T) {
					setEra(t, era)
					r.run(t, era)
				})
			}
		})
	}
}

func (r *row) run(t *testing.T, era informer.Era) {
	if r.test != nil {
		r.test(t, era)
		return
	}
	s := r.script(era)
	if s.seed == 0 {
		s.seed = int64(r.item)
	}
	s.calm = true
	p := s.both(t, era)
	if d := p.difference(); d != "" {
		t.Fatalf("%s\n\nscript:\n%s", d, s)
	}
	text := p.theirs.text()
	for _, pattern := range r.want {
		if !regexp.MustCompile("(?m)" + pattern).MatchString(text) {
			t.Errorf("nothing in what was seen matches %s:\n%s", pattern, text)
		}
	}
	for _, pattern := range r.avoid {
		if m := regexp.MustCompile("(?m)^.*" + pattern + ".*$").FindString(text); m != "" {
			t.Errorf("what was seen has %q, which matches %s:\n%s", m, pattern, text)
		}
	}
	if r.check != nil {
		r.check(t, era, p.theirs)
	}
}

// text is all that was seen, for patterns to look in: requests, then calls by listener, then what was shown.
func (o *outcome) text() string {
	var b strings.Builder
	b.WriteString(strings.Join(o.log, "\n") + "\n")
	for i, calls := range o.calls {
		for _, c := range canonical(calls, false) {
			fmt.Fprintf(&b, "h%d: %s\n", i, c)
		}
	}
	b.WriteString(strings.Join(o.steps, "\n"))
	return b.String()
}

// TestTableIsComplete: every item from 1 to 84 has a row, and every era is met by each.
func TestTableIsComplete(t *testing.T) {
	for item := 1; item <= items; item++ {
		covered := map[informer.Era]bool{}
		for i := range table {
			if table[i].item == item {
				for _, e := range table[i].eras {
					covered[e] = true
				}
			}
		}
		for _, e := range appliesTo(item) {
			if !covered[e] {
				t.Errorf("item %d has no row for era %s", item, e)
			}
		}
	}
}

// items is how many numbered behaviours there are.
const items = 84

// appliesTo is the eras in which an item's behaviour is to be seen at all.
func appliesTo(item int) []informer.Era {
	switch item {
	case 1, 11, 12, 13, 14, 15, 16, 17, 18, 75:
		return watching // they are about WatchList
	case 40, 41, 43:
		return deltas // DeltaFIFO
	case 38, 49:
		return real // RealFIFO
	case 42:
		return realEach
	case 34:
		return perItem
	case 51, 52, 53:
		return batched
	case 33, 44, 45, 48, 50:
		return atomic
	}
	return all
}

// one is a script with one handler.
func one(objects int, ops ...op) *script {
	return &script{objects: objects, early: []op{handler(spec{name: "h", resync: -1})}, ops: ops}
}

// byList is a script whose client cannot do WatchList, so that all eras list.
func byList(objects int, ops ...op) func(informer.Era) *script {
	return func(informer.Era) *script {
		s := one(objects, ops...)
		s.optOut = true
		return s
	}
}

func plainly(objects int, ops ...op) func(informer.Era) *script {
	return func(informer.Era) *script { return one(objects, ops...) }
}

// before puts steps before Run.
func before(make func(informer.Era) *script, early ...op) func(informer.Era) *script {
	return func(era informer.Era) *script {
		s := make(era)
		s.early = append(slices.Clone(early), s.early...)
		return s
	}
}

// with changes a script.
func with(make func(informer.Era) *script, change func(*script)) func(informer.Era) *script {
	return func(era informer.Era) *script {
		s := make(era)
		change(s)
		return s
	}
}
