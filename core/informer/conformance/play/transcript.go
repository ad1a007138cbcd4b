package play

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Section is a part of what was seen of a script.
type Section struct {
	Name  string
	Lines []string
}

// Sections are all that was seen, in a form in which two libraries can be
// compared, line by line: what client-go leaves to the order of a map is taken
// out, see canonical.
func (o *Outcome) Sections() []Section {
	if o.said != nil {
		return []Section{{"said", o.said}}
	}
	out := []Section{{"requests", o.log}, {"what the informer shows", o.steps}, {"calls so far", o.counts}}
	for i, calls := range o.calls {
		out = append(out, Section{fmt.Sprintf("calls of listener %d", i), canonical(calls, o.busy[i])},
			Section{fmt.Sprintf("times of the calls of listener %d", i), times(calls)})
	}
	return out
}

// Broken are the invariants that did not hold.
func (o *Outcome) Broken() []string { return o.broken }

// Counts are how many requests, handlers and calls were seen, and how many transitions of ours.
func (o *Outcome) Counts() (requests, handlers, calls, events int) {
	for _, c := range o.calls {
		calls += len(c)
	}
	return len(o.log), len(o.calls), calls, o.events
}

// Digest is a short text that differs where what was seen differs: by
// requests, what was shown, and calls.
func (o *Outcome) Digest() string {
	groups := map[string]*strings.Builder{"requests": {}, "shows": {}, "calls": {}}
	for _, s := range o.Sections() {
		name := "calls"
		switch s.Name {
		case "requests", "said":
			name = "requests"
		case "what the informer shows":
			name = "shows"
		}
		fmt.Fprintf(groups[name], "%s\n%s\n", s.Name, strings.Join(s.Lines, "\n"))
	}
	return short(groups["requests"].String()) + " " + short(groups["shows"].String()) + " " + short(groups["calls"].String())
}

func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:5])
}

// DigestOf is the digest of a text.
func DigestOf(lines []string) string { return short(strings.Join(lines, "\n")) }

// Difference says where what was seen of one library differs from what was
// seen of another; "" if nowhere.
func Difference(got, want []Section) string {
	for i := range max(len(got), len(want)) {
		var g, w Section
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g.Name != w.Name {
			return fmt.Sprintf("ours has %q, client-go %q", g.Name, w.Name)
		}
		if d := FirstDifference(g.Name, g.Lines, w.Lines); d != "" {
			return d
		}
	}
	return ""
}

// FirstDifference says where two texts differ first; "" if nowhere.
func FirstDifference(what string, got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g == w {
			continue
		}
		from := max(0, i-6)
		return fmt.Sprintf("%s, line %d:\n      ours %s\n client-go %s\nafter:\n    %s", what, i, g, w,
			strings.Join(want[min(from, len(want)):min(i, len(want))], "\n    "))
	}
	return ""
}

// How many random schedules, queues and stores the transcripts have, for each release.
const (
	RecordedSchedules int64 = 1500
	RecordedQueues    int64 = 400
	RecordedStores    int64 = 300
)

// longest is how many lines of a section are written out; of a longer one its digest.
const longest = 150

// RowText is a row's part of a transcript.
func RowText(id string, sections []Section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "row %s\n", id)
	for _, s := range sections {
		fmt.Fprintf(&b, " %s\n", s.Name)
		for _, l := range abridged(s.Lines) {
			for _, l := range strings.Split(l, "\n") {
				b.WriteString(strings.TrimRight("  "+l, " ") + "\n")
			}
		}
	}
	return b.String()
}

// abridged is a section as a transcript has it: what was as before is not said again.
func abridged(lines []string) []string {
	if len(lines) > longest {
		return []string{fmt.Sprintf("%d lines, digest %s", len(lines), DigestOf(lines))}
	}
	return lines
}

// SeedText is the line of a transcript for a random schedule, queue or store.
func SeedText(seed int64, digest string) string { return fmt.Sprintf("%d %s\n", seed, digest) }
