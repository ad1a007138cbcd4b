package play

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// Row is one line of the table: a script, or something else to do with a
// library, for one numbered behaviour, in the releases in which it is to be seen.
type Row struct {
	Item     int
	Name     string
	Releases []Release
	// script is played, and all that is seen must be equal.
	script func(release Release) *Script
	// run takes the place of a script; what it says must be equal. It is run in a bubble, unless live is set.
	run  func(lib *Library) string
	live bool
	// want are patterns that what is seen must have, avoid those it must not
	// have: they show that the row does meet the behaviour.
	want, avoid []string
	// wantIn are further patterns, by release.
	wantIn map[Release][]string
	// check looks closer at what was seen.
	check func(t testing.TB, release Release, seen *Outcome)
}

// The groups of releases that behave alike.
var (
	all      = Releases
	listing  = []Release{E131, E133}
	watching = []Release{E135, E137}
	deltas   = []Release{E131}
	real     = []Release{E133, E135, E137}
	perItem  = []Release{E131, E133, E135} // AtomicFIFO is off
	realEach = []Release{E133, E135}       // RealFIFO, AtomicFIFO is off
	batched  = []Release{E135, E137}
	atomic   = []Release{E137}
)

// ID names the row in tests and in docs/conformance.md.
func (r *Row) ID() string { return fmt.Sprintf("%03d_%s", r.Item, r.Name) }

// In says whether the behaviour is to be seen in a release.
func (r *Row) In(release Release) bool { return slices.Contains(r.Releases, release) }

// Script is the row's script in a release; nil if it is not one.
func (r *Row) Script(release Release) *Script {
	if r.script == nil {
		return nil
	}
	s := r.script(release)
	if s.seed == 0 {
		s.seed = int64(r.Item)
	}
	s.calm = true
	return s
}

// Play plays the row to a library.
func (r *Row) Play(t *testing.T, lib *Library) *Outcome {
	if s := r.Script(lib.Release); s != nil {
		return s.Play(t, lib)
	}
	text := ""
	if r.live {
		text = r.run(lib)
	} else {
		synctest.Test(t, func(*testing.T) { text = r.run(lib) })
	}
	if strings.TrimSpace(text) == "" {
		t.Fatalf("%s says nothing", r.ID())
	}
	return &Outcome{said: strings.Split(strings.TrimRight(text, "\n"), "\n")}
}

// Meets checks that what was seen of a library shows the row's behaviour.
func (r *Row) Meets(t testing.TB, release Release, o *Outcome) {
	t.Helper()
	text := o.text()
	for _, pattern := range slices.Concat(r.want, r.wantIn[release]) {
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
		r.check(t, release, o)
	}
}

// text is all that was seen, for patterns to look in: requests, then calls by listener, then what was shown.
func (o *Outcome) text() string {
	if o.said != nil {
		return strings.Join(o.said, "\n")
	}
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

// Items is how many numbered behaviours there are.
const Items = 84

// AppliesTo is the releases in which an item's behaviour is to be seen at all.
func AppliesTo(item int) []Release {
	switch item {
	case 1, 11, 12, 13, 14, 15, 16, 17, 18, 75:
		return watching // they are about WatchList
	case 40, 41, 43:
		return deltas // DeltaFIFO
	case 38:
		return real // RealFIFO
	case 42:
		return realEach
	case 34:
		return perItem
	case 51, 52, 53, 82:
		return batched
	case 33, 44, 45, 48, 49, 50, 66:
		return atomic
	}
	return all
}

// one is a script with one handler.
func one(objects int, ops ...op) *Script {
	return &Script{objects: objects, early: []op{handler(spec{name: "h", resync: -1})}, ops: ops}
}

// byList is a script whose client cannot do WatchList, so that all releases list.
func byList(objects int, ops ...op) func(Release) *Script {
	return func(Release) *Script {
		s := one(objects, ops...)
		s.optOut = true
		return s
	}
}

func plainly(objects int, ops ...op) func(Release) *Script {
	return func(Release) *Script { return one(objects, ops...) }
}

// before puts steps before Run.
func before(make func(Release) *Script, early ...op) func(Release) *Script {
	return func(release Release) *Script {
		s := make(release)
		s.early = append(slices.Clone(early), s.early...)
		return s
	}
}

// with changes a script.
func with(make func(Release) *Script, change func(*Script)) func(Release) *Script {
	return func(release Release) *Script {
		s := make(release)
		change(s)
		return s
	}
}
