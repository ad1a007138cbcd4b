package stage_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestStepBackIsTheFold records in the page, folds the recording natively, and compares that with state() after a seek, at random moments of the log
// and in random order. At each moment the state is the fold of the log up to it.
func TestStepBackIsTheFold(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, tt := range []struct {
		release string
		lanes   int
	}{{"1.37", 1}, {"1.31", 1}, {"1.31,1.37", 2}} {
		t.Run(tt.release, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=5&rate=30&lang=en&era="+tt.release, 1280, 720)
			eventful(t, p)
			harness.Pause(t, p)
			head := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'").Seq
			events, err := harness.Recording(harness.Timeout(t, time.Minute), p)
			if err != nil {
				t.Fatal(err)
			}
			if last := events[len(events)-1].Seq; last < head {
				t.Fatalf("the recording ends at %d, the view stands at %d", last, head)
			}
			// The test prints the seed, so that a failure can be repeated.
			seed := uint64(time.Now().UnixNano())
			t.Logf("the moments are those of seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 1))
			begin := events[0].Seq
			seqs := []uint64{begin, begin + 1, head}
			for range 25 {
				seqs = append(seqs, begin+random.Uint64N(head-begin+1))
			}
			random.Shuffle(len(seqs), func(i, j int) { seqs[i], seqs[j] = seqs[j], seqs[i] })
			want := foldsAt(t, events, seqs)
			for _, seq := range seqs {
				took := harness.EvalIn[float64](t, p, `(async () => { const t0 = performance.now(); await informerscope.seek(%d); return performance.now() - t0; })()`, seq)
				if took > 1000 {
					t.Errorf("the way to %d took %.0f ms", seq, took)
				}
				got := harness.EvalIn[string](t, p, "(async () => JSON.stringify(await informerscope.state()))()")
				if diff := differ(want[seq], asTree(t, []byte(got)), ""); len(diff) > 0 {
					t.Errorf("at %d the page is not the fold:\n  %s", seq, harness.Abridge(diff, 8))
				}
			}
			// One step at a time, both ways.
			at := begin + (head-begin)/2
			harness.Call(t, p, "seek(%d)", at)
			harness.Call(t, p, "step(-1000)")
			if s := harness.Await(t, p, 5*time.Second, "s.view.mode === 'paused'"); s.Seq != max(begin, at-1000) {
				t.Errorf("1,000 events before %d is %d", at, s.Seq)
			}
			p.ExpectClean(t)
		})
	}
}

// foldsAt folds events once and keeps the state, as a tree of JSON, at each of seqs, with the facts that a view of the same log computes there. All
// the rest of the view's state must equal the fold.
func foldsAt(t *testing.T, events []event.Entry, seqs []uint64) map[uint64]any {
	t.Helper()
	sorted := slices.Clone(seqs)
	slices.Sort(sorted)
	rec := trace.NewRecorder(trace.RecorderOptions{})
	if err := rec.Append(slices.Clone(events)); err != nil {
		t.Fatal(err)
	}
	v := view.New(rec, clock.RealClock{})
	states := map[uint64]any{}
	f := fold.NewFold()
	tree := func(state any) map[string]any {
		text, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		return asTree(t, text)
	}
	for i := range events {
		f.Apply(&events[i])
		seq := events[i].Seq
		if j := sort.Search(len(sorted), func(j int) bool { return sorted[j] >= seq }); j == len(sorted) || sorted[j] != seq {
			continue
		}
		v.Seek(seq)
		seen, plain := tree(v.State()), tree(v.State())
		removeMembers(plain, "facts", "compare")
		if diff := differ(tree(f.State()), plain, ""); len(diff) > 0 {
			t.Errorf("at %d a view of the recording is not the fold:\n  %s", seq, harness.Abridge(diff, 8))
		}
		states[seq] = seen
	}
	return states
}

// asTree decodes a State, without the parts that are the viewer's and not the fold's.
func asTree(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	removeMembers(tree, "view", "live")
	return tree
}

// removeMembers removes members from a state and from its lanes.
func removeMembers(tree map[string]any, names ...string) {
	states := []any{tree}
	if lanes, ok := tree["lanes"].([]any); ok {
		states = append(states, lanes...)
	}
	for _, s := range states {
		for _, name := range names {
			delete(s.(map[string]any), name)
		}
	}
}

// differ lists the differences of two trees of JSON.
func differ(want, got any, path string) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		var out []string
		for k := range w {
			out = append(out, differ(w[k], g[k], path+"."+k)...)
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				out = append(out, fmt.Sprintf("%s.%s should not be there", path, k))
			}
		}
		slices.Sort(out)
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		var out []string
		for i := range w {
			out = append(out, differ(w[i], g[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
		return out
	}
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s, the fold says %s", strings.TrimPrefix(path, "."), brief(got), brief(want))}
}

func brief(v any) string {
	text, _ := json.Marshal(v)
	if len(text) > 100 {
		text = append(text[:100:100], "…"...)
	}
	return string(text)
}
