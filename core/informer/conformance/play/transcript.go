package play

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Section is a part of an outcome.
type Section struct {
	Name  string
	Lines []string
}

// Sections returns everything observed, as lines that can be compared between two libraries. They do not depend on the order of Go maps, see canonical.
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

// Broken returns the invariants that did not hold.
func (o *Outcome) Broken() []string { return o.broken }

// Counts returns the numbers of log lines, handlers and calls, and of the events in our log.
func (o *Outcome) Counts() (requests, handlers, calls, events int) {
	for _, c := range o.calls {
		calls += len(c)
	}
	return len(o.log), len(o.calls), calls, o.events
}

// Digest returns three short hashes: of the requests, of the states and of the calls.
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
	return shorten(groups["requests"].String()) + " " + shorten(groups["shows"].String()) + " " + shorten(groups["calls"].String())
}

func shorten(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:5])
}

// DigestOf returns a short hash of lines.
func DigestOf(lines []string) string { return shorten(strings.Join(lines, "\n")) }

// Difference describes the first difference between the outcomes of two libraries. It returns "" if there is none.
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

// FirstDifference describes the first difference between two texts. It returns "" if there is none.
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

// The numbers of random schedules, queues, stores and readings in the transcripts, for each release.
const (
	RecordedSchedules int64 = 1500
	RecordedQueues    int64 = 400
	RecordedStores    int64 = 300
	RecordedReads     int64 = 400
)

// maxLines is the largest number of lines of a section that a transcript has in full. Of a longer section it has the digest.
const maxLines = 150

// RowText returns a row's part of a transcript.
func RowText(id string, sections []Section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "row %s\n", id)
	for _, s := range sections {
		fmt.Fprintf(&b, " %s\n", s.Name)
		for _, l := range abridge(s.Lines) {
			for _, l := range strings.Split(l, "\n") {
				b.WriteString(strings.TrimRight("  "+l, " ") + "\n")
			}
		}
	}
	return b.String()
}

// abridge returns the lines of a section as a transcript has them, see longest.
func abridge(lines []string) []string {
	if len(lines) > maxLines {
		return []string{fmt.Sprintf("%d lines, digest %s", len(lines), DigestOf(lines))}
	}
	return lines
}

// SeedText returns the transcript line of a random schedule, queue or store.
func SeedText(seed int64, digest string) string { return fmt.Sprintf("%d %s\n", seed, digest) }
