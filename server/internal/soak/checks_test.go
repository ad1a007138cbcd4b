package soak

import (
	"strings"
	"testing"
	"time"
)

// TestTheChecksSeeDefects plants one defect at a time in a script without faults, to prove that the checks find it.
func TestTheChecksSeeDefects(t *testing.T) {
	calm := func(ops ...Op) *Script {
		return &Script{hasty: true, Seed: 1, Resource: "configmaps", Objects: 8, Room: 32,
			Pages: []Page{{Releases: "1.31,1.37"}, {Releases: "1.35", Namespace: namespaces[0]}},
			Ops:   append([]Op{{After: 5 * time.Second, Name: "write", N: 6}, {After: time.Second, Name: "write", N: 6, Who: 1}}, ops...)}
	}
	if r := calm().Play(t, t.TempDir()); len(r.Problems) > 0 || r.Notifications == 0 {
		t.Fatalf("without a defect: %d notifications, %q", r.Notifications, r.Problems)
	}
	for _, defect := range []struct {
		what string
		ops  []Op
		says []string
	}{
		{"an event is lost on its way",
			[]Op{{After: time.Second, Name: "lie", N: 60}, {Name: "write", N: 40, Who: 2}, {After: time.Second, Name: "lie"}},
			[]string{"the store", "handler"}},
		{"a goroutine is left", []Op{{Name: "leak"}}, []string{"blocked goroutines remain", "soak.(*world).perform"}},
		{"a value gets out", []Op{{After: time.Second, Name: "show"}}, []string{"came with a value that was to be withheld"}},
		{"the cluster is further", []Op{{After: time.Second, Name: "show"}, {After: time.Second, Name: "rewrite"}},
			[]string{"missed the last state of", "the store has"}},
		{"a state that never was", []Op{{After: time.Second, Name: "show"}, {After: time.Second, Name: "forge"}}, []string{"which never was at"}},
	} {
		t.Run(strings.ReplaceAll(defect.what, " ", "-"), func(t *testing.T) {
			r := calm(defect.ops...).Play(t, t.TempDir())
			told := strings.Join(r.Problems, "\n")
			for _, says := range defect.says {
				if !strings.Contains(told, says) {
					t.Errorf("%q is not in what was said:\n%s", says, told)
				}
			}
		})
	}
}

// TestTheSameSeedIsTheSameScript checks that a seed always makes the same script, so that a seed printed on another machine can be played here.
func TestTheSameSeedIsTheSameScript(t *testing.T) {
	names := map[string]bool{}
	for seed := range int64(500) {
		a, b := Generate(seed), Generate(seed)
		if a.String() != b.String() {
			t.Fatalf("seed %d:\n%s\n%s", seed, a, b)
		}
		for _, o := range a.Ops {
			names[o.Name] = true
		}
	}
	for _, name := range []string{
		"write", "cut", "cutone", "cutlater", "hole", "halfopen", "forget", "slow", "refuse", "list", "watch", "watches", "compact",
		"miss", "restart", "relay", "newtoken", "pause", "stall", "expire", "nobookmarks", "nowatchlist", "short", "forbid", "fault", "handler",
		"nohandler", "select", "stranger", "reload",
	} {
		if !names[name] {
			t.Errorf("no script of 500 has the op %s", name)
		}
	}
}

// TestShrinkFindsWhatIsNeeded shrinks a script of which two ops and one page matter.
func TestShrinkFindsWhatIsNeeded(t *testing.T) {
	s := Generate(7)
	s.Ops = append(s.Ops[:3:3], append([]Op{{Name: "leak"}}, append(s.Ops[3:], Op{Name: "lie"})...)...)
	s.Pages = append(s.Pages, Page{Releases: "1.99"})
	small, why := Shrink(s, func(s *Script) []string {
		text := s.String()
		if strings.Contains(text, " leak") && strings.Contains(text, " lie") && strings.Contains(text, "1.99") {
			return []string{"found"}
		}
		return nil
	}, time.Hour)
	if len(small.Ops) != 2 || len(small.Pages) != 1 || len(why) != 1 {
		t.Errorf("%q of:\n%s", why, small)
	}
}
