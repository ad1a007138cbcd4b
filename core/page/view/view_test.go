package view_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/clock"

	"informerscope/core/ask/analysis"
	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

func TestMain(m *testing.M) {
	// The default handlers keep the time of the last error for the whole process, which breaks bubbles of fake time.
	utilruntime.ErrorHandlers = nil
	utilruntime.PanicHandlers = nil // handlers panic on command here, which needs no log line
	utilruntime.ReallyCrash = false
	os.Exit(m.Run())
}

// page is what a page has from the frames it received.
type page struct {
	t     *testing.T
	state map[string]json.RawMessage
	facts map[string]json.RawMessage
	cells map[int]cell
	view  struct {
		view.Playback
		Seq      uint64  `json:"seq"`
		AtMillis float64 `json:"atMillis"`
	}
	bins  map[int]int
	marks []analysis.Mark
	jump  bool
	lane  int // the lane on stage, by the frames
	lanes int // in the last frame
	rows  []facts.FactoryRow
	logs  int // how often a new log was announced
}

type cell struct {
	key    string
	places int
	// As of a CellRow.
	clusterRV, storeRV string
}

func (p *page) take(v *view.View) bool {
	p.t.Helper()
	raw := v.Frame()
	if raw == nil {
		return false
	}
	var f struct {
		Lanes []struct {
			State map[string]json.RawMessage
			Facts map[string]json.RawMessage
			Cells *struct {
				Reset bool
				Set   [][7]json.RawMessage
				Del   []int
			}
		}
		Timeline struct {
			Reset bool
			Bins  [][2]int
			Marks []analysis.Mark
		}
		Factory json.RawMessage
		View    json.RawMessage
		Jump    bool
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		p.t.Fatalf("%v in %s", err, raw)
	}
	if err := json.Unmarshal(f.View, &p.view); err != nil {
		p.t.Fatal(err)
	}
	p.jump, p.lanes = f.Jump, len(f.Lanes)
	if f.Factory != nil {
		var factory *facts.Factory
		if err := json.Unmarshal(f.Factory, &factory); err != nil {
			p.t.Fatal(err)
		}
		if p.lane, p.rows = 0, nil; factory != nil {
			p.lane, p.rows = factory.Shown, factory.Rows
		}
	}
	if f.Timeline.Reset {
		p.logs++
		p.bins, p.marks = map[int]int{}, nil
	}
	for _, b := range f.Timeline.Bins {
		p.bins[b[0]] = b[1]
	}
	p.marks = append(p.marks, f.Timeline.Marks...)
	if len(f.Lanes) == 0 {
		return true
	}
	l := f.Lanes[0]
	if p.state == nil {
		p.state = map[string]json.RawMessage{}
	}
	for k, v := range l.State {
		p.state[k] = v
	}
	if p.facts == nil {
		p.facts = map[string]json.RawMessage{}
	}
	for k, v := range l.Facts {
		p.facts[k] = v
	}
	if l.Cells != nil {
		if l.Cells.Reset {
			p.cells = map[int]cell{}
		}
		for _, id := range l.Cells.Del {
			if _, ok := p.cells[id]; !ok {
				p.t.Errorf("cell %d is deleted but was never set", id)
			}
			delete(p.cells, id)
		}
		for _, c := range l.Cells.Set {
			var id int
			var x cell
			_, _, _ = json.Unmarshal(c[0], &id), json.Unmarshal(c[1], &x.key), json.Unmarshal(c[3], &x.places)
			_, _ = json.Unmarshal(c[5], &x.clusterRV), json.Unmarshal(c[6], &x.storeRV)
			p.cells[id] = x
		}
	}
	return true
}

// check compares the page's state with the fold of the log's prefix.
func (p *page) check(rec *trace.Recorder) {
	p.t.Helper()
	folded := rec.FoldAt(p.view.Seq)
	objects := folded.Objects(p.lane)
	cluster := folded.Cluster(p.lane)
	only := 0
	cluster.Range(func(key string, _ fold.Held) bool {
		if _, ok := objects.Get(key); !ok {
			only++
		}
		return true
	})
	if len(p.cells) != objects.Len()+only {
		p.t.Fatalf("seq %d: %d cells, %d objects in the store and %d in the cluster alone", p.view.Seq, len(p.cells), objects.Len(), only)
	}
	seen, differ := map[string]bool{}, 0
	for id, c := range p.cells {
		o, ok := objects.Get(c.key)
		held, there := cluster.Get(c.key)
		want := 0
		for bit, holds := range []bool{there, ok, there && ok && o.RV != held.RV, there && held.Unsent, ok && event.Weigh(o.Obj).IsReduced()} {
			if holds {
				want |= 1 << bit
			}
		}
		if want == 0 || want != c.places || seen[c.key] {
			p.t.Fatalf("seq %d: cell %d shows %s at %b, not %b, shown before %v", p.view.Seq, id, c.key, c.places, want, seen[c.key])
		}
		if (there && c.clusterRV != held.RV) || (!there && c.clusterRV != "") || (ok && c.storeRV != o.RV) || (!ok && c.storeRV != "") {
			p.t.Fatalf("seq %d: cell %s has versions %q and %q, and the log %q and %q", p.view.Seq, c.key, c.clusterRV, c.storeRV, held.RV, o.RV)
		}
		seen[c.key] = true
		if there := there && !held.Unsent; there != ok || there && o.RV != held.RV {
			differ++
		}
	}
	// An object whose creation and deletion are both still to come differs too, and has no cell.
	if n := folded.StateOf(p.lane).World.ApartObjects; differ > n {
		p.t.Fatalf("seq %d: the cells show %d objects that differ, and the state has %d", p.view.Seq, differ, n)
	}
	want, err := json.Marshal(folded.StateOf(p.lane))
	if err != nil {
		p.t.Fatal(err)
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(want, &parts); err != nil {
		p.t.Fatal(err)
	}
	for name, got := range p.state {
		if string(parts[name]) != string(got) {
			p.t.Fatalf("seq %d: %s is\n%s, the fold says\n%s", p.view.Seq, name, got, parts[name])
		}
	}
	for _, name := range []string{"api", "reflector", "queue", "indexer", "listeners", "workqueue", "holds", "faults"} {
		if p.state[name] == nil {
			p.t.Fatalf("%s was never sent", name)
		}
	}
}

func begin(t *testing.T, rate float64) (*lab.Lab, *trace.Recorder, *view.View, *page) {
	t.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := lab.New(lab.Options{Recorder: rec})
	t.Cleanup(func() {
		l.Close()
		<-time.After(2 * time.Minute)
	})
	objects := 60
	if _, err := l.Select(t.Context(), selection.Change{Objects: &objects, Rate: &rate}); err != nil {
		t.Fatal(err)
	}
	return l, rec, view.New(rec, clock.RealClock{}), &page{t: t}
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// TestFramesAlwaysAddUpToTheFold: whatever the view does, the page that received its frames shows the fold of the log up to the view's position.
func TestFramesAlwaysAddUpToTheFold(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			l, rec, v, p := begin(t, 40)
			for range 150 {
				pass(time.Duration(rng.IntN(400)) * time.Millisecond)
				head, _ := rec.Head()
				switch rng.IntN(12) {
				case 0:
					v.Seek(uint64(rng.Int64N(int64(head)) + 1))
				case 1:
					v.Step(rng.IntN(60) - 30)
				case 2:
					v.Live()
				case 3:
					if err := v.Play([]float64{1.0 / 32, 1.0 / 4, 1, 8}[rng.IntN(4)]); err != nil {
						t.Fatal(err)
					}
				case 4:
					v.Pause()
				case 6:
					_ = v.Mark(rng.IntN(2)*2 - 1) // there may be none
				case 7:
					if _, err := l.Informer(0).Fault([]string{"cut", "410", "compact", "slow"}[rng.IntN(4)], lab.FaultArgs{}); err != nil {
						t.Fatal(err)
					}
				case 8:
					if _, err := l.Cluster("delete", lab.ClusterArgs{}); err != nil {
						t.Fatal(err)
					}
				case 9:
					v.SeekTime(time.Duration(rng.Int64N(int64(rec.Now()))))
				}
				if p.take(v) {
					p.check(rec)
				}
			}
			v.Live()
			pass(time.Second)
			for p.take(v) && p.view.Behind > 0 {
			}
			p.check(rec)
			head, _ := rec.Head()
			if p.view.Seq != head || p.view.Mode != "live" {
				t.Errorf("live at %d of %d, %s", p.view.Seq, head, p.view.Mode)
			}
			sum := 0
			for _, n := range p.bins {
				sum += n
			}
			if uint64(sum) != head {
				t.Errorf("the timeline counts %d of %d events", sum, head)
			}
		})
	}
}

func TestPlayingSlowerFallsBehindAndCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rec, v, p := begin(t, 20)
		pass(2 * time.Second)
		p.take(v)
		if err := v.Play(0.25); err != nil {
			t.Fatal(err)
		}
		at := p.view.AtMillis
		for range 400 {
			pass(10 * time.Millisecond)
			p.take(v)
		}
		if went := p.view.AtMillis - at; went < 950 || went > 1050 {
			t.Errorf("4 s at a quarter of the speed went %.0f ms", went)
		}
		if p.view.BehindMillis < 2500 || p.view.Mode != "playing" {
			t.Errorf("behind %.0f ms, %s", p.view.BehindMillis, p.view.Mode)
		}
		if err := v.Play(8); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			pass(10 * time.Millisecond)
			p.take(v)
		}
		if p.view.Mode != "live" {
			t.Errorf("at 8 times the speed it has not caught up: %s, behind %.0f ms", p.view.Mode, p.view.BehindMillis)
		}
		p.check(rec)
		for _, bad := range []float64{-1, 9, 0.001} {
			if v.Play(bad) == nil {
				t.Errorf("plays at %g", bad)
			}
		}
	})
}

func TestPausingHoldsTheViewWhileTheLogGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rec, v, p := begin(t, 20)
		pass(2 * time.Second)
		p.take(v)
		v.Pause()
		seq := p.view.Seq
		pass(2 * time.Second)
		p.take(v)
		if head, _ := rec.Head(); p.view.Seq != seq || p.view.Head != head || p.view.Behind != head-seq {
			t.Errorf("at %d, was %d; head %d of %d, behind %d", p.view.Seq, seq, p.view.Head, head, p.view.Behind)
		}
		v.Step(1)
		p.take(v)
		if p.view.Seq != seq+1 || p.jump {
			t.Errorf("one step leads from %d to %d, jump %v", seq, p.view.Seq, p.jump)
		}
		v.Step(-1000)
		p.take(v)
		if p.view.Seq != max(1, seq+1-min(1000, seq)) || !p.jump {
			t.Errorf("1000 back from %d is %d, jump %v", seq+1, p.view.Seq, p.jump)
		}
		p.check(rec)
		v.Step(-1_000_000)
		if s := v.State(); s.Seq != 1 || s.Live {
			t.Errorf("the beginning is %d, live %v", s.Seq, s.Live)
		}
	})
}

func TestTheInspectorShowsOldAndNewAndTheJourney(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec, v, p := begin(t, 0)
		pass(10 * time.Second)
		if _, err := l.Cluster("burst", lab.ClusterArgs{N: 1}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		p.take(v)
		var key, rv string
		head, _ := rec.Head()
		rec.FoldAt(head).Objects(0).Range(func(c *fold.Cell) bool {
			if c.Op.String() == "Updated" && (rv == "" || len(c.RV) > len(rv) || c.RV > rv) {
				key, rv = c.Key, c.RV
			}
			return true
		})
		o, err := v.Object(0, key)
		if err != nil {
			t.Fatal(err)
		}
		if o.RV != rv || o.OldRV == "" || o.OldRV == o.RV || !json.Valid(o.JSON) || !json.Valid(o.OldJSON) {
			t.Errorf("rv %s (want %s), old %s", o.RV, rv, o.OldRV)
		}
		stages := map[string]bool{}
		for _, h := range o.Journey {
			stages[h.Stage] = true
		}
		for _, s := range []string{"api", "reflector", "queue", "indexer", "listener", "controller"} {
			if !stages[s] {
				t.Errorf("the journey misses the stage %s: %v", s, stages)
			}
		}
		if len(o.Ahead) != 0 {
			t.Errorf("at the log's end %d hops are ahead", len(o.Ahead))
		}
		// In the middle of its way the rest is ahead, and together they are the whole.
		middle := o.Journey[len(o.Journey)/2].Seq
		v.Seek(middle)
		half, err := v.Object(0, key)
		if err != nil {
			t.Fatal(err)
		}
		if both := append(half.Journey, half.Ahead...); len(half.Ahead) == 0 || !slices.Equal(both, o.Journey) {
			t.Errorf("at event %d there are %d hops and %d ahead, at the end %d", middle, len(half.Journey), len(half.Ahead), len(o.Journey))
		}
		v.Live()
		p.take(v)
		in, err := v.Index(0, "namespace", nil)
		if err != nil || in.Total == 0 || in.Values[0].Count == 0 {
			t.Fatalf("%+v, %v", in, err)
		}
		if keys, err := v.Index(0, "namespace", &in.Values[0].Value); err != nil || keys.Total != in.Values[0].Count || len(keys.Keys) != keys.Total {
			t.Errorf("%+v, %v", keys, err)
		}
		if _, err := v.Index(0, "nothing", nil); err == nil {
			t.Error("an index that there is not")
		}
		if _, err := v.Object(0, "nowhere/nothing"); err == nil {
			t.Error("described an object that there is not")
		}
		if _, err := v.Object(7, key); err == nil {
			t.Error("described an object of a lane that there is not")
		}
	})
}

func TestANewSelectionStartsThePageAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec, v, p := begin(t, 10)
		pass(2 * time.Second)
		p.take(v)
		resource := "nodes"
		if _, err := l.Select(t.Context(), selection.Change{Resource: &resource}); err != nil {
			t.Fatal(err)
		}
		// Whether the view notices the new log itself or by Reset, it is announced once: a story begins with its log.
		logs := p.logs
		p.take(v)
		v.Reset()
		pass(2 * time.Second)
		for p.take(v) && p.view.Behind > 0 {
		}
		p.take(v)
		v.Reset()
		p.take(v)
		if p.logs != logs+1 {
			t.Errorf("the page was told of %d new logs", p.logs-logs)
		}
		p.check(rec)
		var res fold.Resource
		if err := json.Unmarshal(p.state["resource"], &res); err != nil || res.Resource != "nodes" {
			t.Errorf("resource %+v, %v", res, err)
		}
	})
}
