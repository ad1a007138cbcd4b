package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/cause"
)

// Weight is how much a finding matters. Critical and Warning are findings of weight; a Hint is advice to a healthy program.
type Weight string

// The weights, heaviest first.
const (
	Critical Weight = "critical"
	Warning  Weight = "warning"
	Hint     Weight = "hint"
)

var weights = []Weight{Critical, Warning, Hint}

// Words are a text in the languages of the page.
type Words = cause.Words

// say formats a text in both languages; the formats number their arguments where the order differs.
func say(en, zh string, args ...any) Words {
	if len(args) == 0 {
		return Words{EN: en, ZH: zh}
	}
	return Words{EN: fmt.Sprintf(en, args...), ZH: fmt.Sprintf(zh, args...)}
}

// Finding is something that is wrong.
type Finding struct {
	Rule   string `json:"rule"` // the name of a Rule
	Title  Words  `json:"title"`
	Weight Weight `json:"weight" web:"critical|warning|hint"`
	// Lane is the informer, Informer the name of its resource.
	Lane     int    `json:"lane"`
	Informer string `json:"informer"`
	// SinceMillis is when it began, or when the log began if that is later. Seq is the event that shows it best, and AtMillis its time. All are of the log.
	SinceMillis float64 `json:"sinceMillis"`
	Seq         uint64  `json:"seq"`
	AtMillis    float64 `json:"atMillis"`
	// Confidence is the least certain of what the finding rests on.
	Confidence string `json:"confidence" web:"exact|derived|sampled"`
	What       Words  `json:"what"`
	Advice     Words  `json:"advice"`
	Story      string `json:"story"` // the id of the story that explains it
}

// HasWeight reports whether a finding is more than a hint.
func HasWeight(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Weight != Hint })
}

// moment is an event and its time.
type moment struct {
	seq uint64
	at  time.Duration
}

// sortFindings puts the worst first, and of equal weight the one that began first.
func sortFindings(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(weights, a.Weight), slices.Index(weights, b.Weight)), cmp.Compare(a.SinceMillis, b.SinceMillis),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Lane, b.Lane))
	})
}

// confidence returns how the least certain of some members of State is known. A member without an entry has its parent's. What the rule saw although the
// member is unseen, it derived.
func confidence(known map[string]fold.Fidelity, members []string) string {
	ranks := []string{"exact", "derived", "sampled"}
	worst := 0
	for _, member := range members {
		how := fold.FidelityOf(known, member).How
		if how == "unseen" {
			how = "derived"
		}
		worst = max(worst, slices.Index(ranks, how))
	}
	return ranks[worst]
}

// seconds is a duration as people read it.
func seconds(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}
