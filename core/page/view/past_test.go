package view_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
)

// pastRow is a row of a frame's past.
type pastRow struct {
	ID, Station  string
	Lane         int
	Listener     int32
	Waiting      int
	Changes      int
	OldestMillis *float64
	Highest      int
	Columns      []json.RawMessage
	Spans        json.RawMessage
	Closed       bool
}

// pastPage is what a page has of the past from the frames that it received.
type pastPage struct {
	columns map[string]map[int64]string // by row and number
	spans   map[string]string
	rows    []pastRow // of the last frame
	seq     uint64
	first   int64
	last    int64
}

// take takes a frame in, and reports whether it had a past.
func (p *pastPage) take(t *testing.T, raw []byte, window int64) bool {
	t.Helper()
	var f struct {
		Past *struct {
			Reset      bool
			From, Last int64
			Rows       []pastRow
		}
		View struct{ Seq uint64 }
	}
	if raw == nil {
		return false
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	if f.Past == nil {
		return false
	}
	before, wasSpans := p.columns, p.spans
	if f.Past.Reset {
		before, wasSpans = nil, nil
	}
	*p = pastPage{columns: map[string]map[int64]string{}, spans: map[string]string{}, rows: f.Past.Rows, seq: f.View.Seq, last: f.Past.Last,
		first: f.Past.Last - window + 1}
	for _, row := range p.rows {
		kept := map[int64]string{}
		for number, column := range before[row.ID] {
			if number >= p.first && number < f.Past.From {
				kept[number] = column
			}
		}
		for _, column := range row.Columns {
			var members []json.RawMessage
			var number int64
			if json.Unmarshal(column, &members) != nil || len(members) != 5 || json.Unmarshal(members[0], &number) != nil ||
				number < f.Past.From || number > f.Past.Last {
				t.Fatalf("%s has the column %s, in a frame of %d to %d", row.ID, column, f.Past.From, f.Past.Last)
			}
			kept[number] = string(column)
		}
		p.columns[row.ID] = kept
		switch {
		case row.Closed:
		case row.Spans != nil:
			p.spans[row.ID] = string(row.Spans)
		case wasSpans[row.ID] != "":
			p.spans[row.ID] = wasSpans[row.ID]
		}
	}
	return true
}

// waiting returns how many wait in a row, by State; -1 where State does not say.
func waiting(s *fold.State, row *pastRow) int {
	if len(s.Lanes) > 0 {
		s = s.Lanes[row.Lane]
	}
	switch row.Station {
	case "queue":
		return s.Queue.Waiting
	case "handler":
		for _, l := range s.Listeners {
			if l.ID != row.Listener {
				continue
			}
			n := l.Distributed - l.Handled - l.Discarded
			if l.Handling != nil {
				n--
			}
			return n
		}
	case "work":
		return s.Workqueue.Depth
	case "informer":
		n := s.Queue.Waiting
		for _, l := range s.Listeners {
			n += waiting(s, &pastRow{Station: "handler", Listener: l.ID})
		}
		return n
	}
	return -1
}

// check compares what waits with the fold at the page's moment.
func (p *pastPage) check(t *testing.T, rec *trace.Recorder) (most int) {
	t.Helper()
	s := rec.FoldAt(p.seq).State()
	for _, row := range p.rows {
		if want := waiting(s, &row); want >= 0 && want != row.Waiting {
			t.Fatalf("at event %d, %d wait in %s; State has %d", p.seq, row.Waiting, row.ID, want)
		}
		if (row.Waiting > 0) != (row.OldestMillis != nil) {
			t.Fatalf("at event %d, %d wait in %s, the oldest since %v", p.seq, row.Waiting, row.ID, row.OldestMillis)
		}
		most = max(most, row.Waiting)
	}
	return most
}

// checkHeadline compares what the headline says with State.
func checkHeadline(t *testing.T, s *view.State) {
	t.Helper()
	said := s.Facts.Headline
	if !slices.Contains(facts.Headlines, said.ID) {
		t.Fatalf("at event %d the headline is %q", s.Seq, said.ID)
	}
	kind, _, _ := strings.Cut(said.ID, ".")
	switch held, gap := len(s.Holds) > 0, s.Reflector.Phase == "backoff"; {
	case held != (kind == "held"):
		t.Fatalf("at event %d %d stages are held, and the headline is %+v", s.Seq, len(s.Holds), said)
	case !held && gap != (strings.HasPrefix(kind, "gap") || strings.HasPrefix(kind, "refused")):
		t.Fatalf("at event %d the Reflector is in %s, and the headline is %+v", s.Seq, s.Reflector.Phase, said)
	}
	switch said.ID {
	case "held.pop", "held.popKeys":
		if said.N != s.Queue.Waiting || said.ID == "held.popKeys" && said.M < said.N {
			t.Fatalf("at event %d %d wait in the queue, and the headline is %+v", s.Seq, s.Queue.Waiting, said)
		}
	case "held.take", "keys":
		if said.N != s.Workqueue.Depth {
			t.Fatalf("at event %d %d wait in the work queue, and the headline is %+v", s.Seq, s.Workqueue.Depth, said)
		}
	case "flow", "idle":
		if s.Workqueue.Retries > 0 && s.Workqueue.WaitingCount > 0 && s.Workqueue.Waiting[0].Failures > 0 {
			t.Fatalf("at event %d %+v waits to be retried, and the headline is %+v", s.Seq, s.Workqueue.Waiting[0], said)
		}
	}
}

// TestThePastAddsUp: whatever the view does, what waits is what State has, and the columns that came bit by bit are those of a window that comes at once.
func TestThePastAddsUp(t *testing.T) {
	for seed, release := range []string{"1.37", "1.31", "1.31,1.37", "pods,nodes,deployments.apps"} {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				isFactory := seed == 3
				rng := rand.New(rand.NewPCG(uint64(seed), 2))
				rec := trace.NewRecorder(trace.RecorderOptions{MaxEvents: 20_000})
				l := lab.New(lab.Options{Recorder: rec})
				defer func() {
					l.Close()
					<-time.After(2 * time.Minute)
				}()
				objects, rate := 60, 40.0
				change := selection.Change{Objects: &objects, Rate: &rate, Release: &release}
				if isFactory {
					change.Release, change.Resource = nil, &release
				}
				if _, err := l.Select(t.Context(), change); err != nil {
					t.Fatal(err)
				}
				v, p, most := view.New(rec, clock.RealClock{}), &pastPage{}, 0
				const columns = 200
				window := func() {
					millis := []float64{10, 2000, 8000, 60_000}[rng.IntN(4)]
					if err := v.Window(millis, columns); err != nil {
						t.Fatal(err)
					}
				}
				window()
				held := func() int {
					if isFactory {
						return rng.IntN(2)
					}
					return 0
				}
				stages := []string{"store", "pop", "deliver", "take"}
				for range 200 {
					pass(time.Duration(rng.IntN(400)) * time.Millisecond)
					head, _ := rec.Head()
					stage, listener := stages[rng.IntN(len(stages))], int32(0)
					if stage == "deliver" {
						listener = int32(1 + rng.IntN(3))
					}
					var err error
					switch rng.IntN(15) {
					case 14:
						if isFactory {
							err = v.Show(rng.IntN(3))
						}
					case 0:
						v.Seek(uint64(rng.Int64N(int64(head)) + 1))
					case 1:
						v.Step(rng.IntN(60) - 30)
					case 2, 3:
						v.Live()
					case 4:
						err = v.Play([]float64{1.0 / 32, 1.0 / 4, 1, 8}[rng.IntN(4)])
					case 5, 6:
						err = l.Informer(held()).Hold(stage, listener)
					case 7, 8:
						_ = l.Informer(held()).Release(stage, rng.IntN(3), listener) // it may not be held
					case 9:
						window()
					case 10:
						_, err = l.Informer(0).Fault([]string{"cut", "410", "ratelimit", "slow"}[rng.IntN(4)], lab.FaultArgs{})
					case 11:
						_, err = l.Cluster("burst", lab.ClusterArgs{N: 50})
					}
					if err != nil {
						t.Fatal(err)
					}
					if !p.take(t, v.Frame(), columns) {
						continue
					}
					most = max(most, p.check(t, rec))
					checkHeadline(t, v.State())
					if v.Describe().Mode != "paused" {
						continue
					}
					v.Follow("a/b", "") // the next frame brings the whole window
					whole := &pastPage{}
					if !whole.take(t, v.Frame(), columns) || whole.seq != p.seq {
						t.Fatal("no frame at the same moment")
					}
					v.Follow("", "")
					for _, row := range whole.rows {
						if a, b := p.columns[row.ID], whole.columns[row.ID]; !maps.Equal(a, b) {
							t.Fatalf("at event %d, %s has bit by bit\n%v, at once\n%v", p.seq, row.ID, a, b)
						}
						if a, b := p.spans[row.ID], whole.spans[row.ID]; a != b {
							t.Fatalf("at event %d, %s has bit by bit\n%v, at once\n%v", p.seq, row.ID, a, b)
						}
					}
					p.take(t, v.Frame(), columns)
				}
				if most < 20 {
					t.Errorf("at most %d waited, which shows little", most)
				}
			})
		})
	}
}
