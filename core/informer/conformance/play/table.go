package play

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// Row is one row of the table. It tests one numbered behaviour with a script, or with another function, in the releases that have the behaviour.
type Row struct {
	Item     int
	Name     string
	Releases []Release
	// script returns the script to play. Everything that is observed must be equal.
	script func(release Release) *Script
	// run takes the place of a script. Its returned text must be equal. It runs in a bubble unless live is set.
	run  func(lib *Library) string
	live bool
	// want are patterns that the observed text must match, and avoid those that it must not. They show that the row exercises the behaviour.
	want, avoid []string
	// wantIn has more patterns, by release. A release that it does not have has those of the release before.
	wantIn map[Release][]string
	// check makes further checks of what was observed.
	check func(t testing.TB, release Release, seen *Outcome)
}

// The groups of releases with equal behaviour.
var (
	allReleases         = Releases
	listReleases        = []Release{E131, E133}
	watchReleases       = []Release{E135, E137, E138}
	deltaReleases       = []Release{E131}
	realReleases        = []Release{E133, E135, E137, E138}
	perItemReleases     = []Release{E131, E133, E135} // AtomicFIFO is off
	realPerItemReleases = []Release{E133, E135}       // RealFIFO, AtomicFIFO is off
	batchReleases       = []Release{E135, E137, E138}
	atomicReleases      = []Release{E137, E138}
)

// ID returns the name of the row in tests and in docs/dev/conformance.md.
func (r *Row) ID() string { return fmt.Sprintf("%03d_%s", r.Item, r.Name) }

// In reports whether a release has the behaviour.
func (r *Row) In(release Release) bool { return slices.Contains(r.Releases, release) }

// Script returns the row's script in a release, or nil if the row has none.
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
		t.Fatalf("%s returned no text", r.ID())
	}
	return &Outcome{said: strings.Split(strings.TrimRight(text, "\n"), "\n")}
}

// Meets checks that the outcome shows the row's behaviour.
func (r *Row) Meets(t testing.TB, release Release, o *Outcome) {
	t.Helper()
	text := o.text()
	for _, pattern := range slices.Concat(r.want, newestOf(r.wantIn, release)) {
		if !regexp.MustCompile("(?m)" + pattern).MatchString(text) {
			t.Errorf("nothing observed matches %s:\n%s", pattern, text)
		}
	}
	for _, pattern := range r.avoid {
		if m := regexp.MustCompile("(?m)^.*" + pattern + ".*$").FindString(text); m != "" {
			t.Errorf("the outcome has %q, which matches %s:\n%s", m, pattern, text)
		}
	}
	if r.check != nil {
		r.check(t, release, o)
	}
}

// newestOf returns the patterns of a release, or of the newest release before it that has any.
func newestOf(patterns map[Release][]string, release Release) []string {
	for _, r := range slices.Backward(Releases) {
		if found, ok := patterns[r]; ok && r <= release {
			return found
		}
	}
	return nil
}

// text returns everything observed, for patterns: the requests, then the calls by listener, then the states.
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

// Items is the number of numbered behaviours.
const Items = 88

// AppliesTo returns the releases that have an item's behaviour.
func AppliesTo(item int) []Release {
	switch item {
	case 1, 11, 12, 13, 14, 15, 16, 17, 18, 75:
		return watchReleases // they need WatchList
	case 40, 41, 43:
		return deltaReleases // DeltaFIFO
	case 86:
		return shardReleases
	case 38, 87:
		return realReleases // RealFIFO
	case 42:
		return realPerItemReleases
	case 34:
		return perItemReleases
	case 51, 52, 53, 82:
		return batchReleases
	case 33, 44, 45, 48, 49, 50, 66:
		return atomicReleases
	}
	return allReleases
}

// oneHandlerScript returns a script with one handler.
func oneHandlerScript(objects int, ops ...op) *Script {
	return &Script{objects: objects, early: []op{handler(spec{name: "h", resync: -1})}, ops: ops}
}

// listScript returns a script whose client does not support WatchList, so all releases list.
func listScript(objects int, ops ...op) func(Release) *Script {
	return func(Release) *Script {
		s := oneHandlerScript(objects, ops...)
		s.optOut = true
		return s
	}
}

func plainScript(objects int, ops ...op) func(Release) *Script {
	return func(Release) *Script { return oneHandlerScript(objects, ops...) }
}

// prepend adds steps before Run.
func prepend(make func(Release) *Script, early ...op) func(Release) *Script {
	return func(release Release) *Script {
		s := make(release)
		s.early = append(slices.Clone(early), s.early...)
		return s
	}
}

// alter changes a script.
func alter(make func(Release) *Script, change func(*Script)) func(Release) *Script {
	return func(release Release) *Script {
		s := make(release)
		change(s)
		return s
	}
}
