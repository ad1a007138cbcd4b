package stories_test

import (
	"fmt"
	"strings"
	"testing"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// rideNow is what the page shows of a ride, and the worker's own report of it.
const rideNow = `(() => {
  const el = document.querySelector('.ride');
  if (!el || el.hidden) return { on: false };
  const text = (s) => el.querySelector(s)?.textContent ?? '';
  const all = (s) => [...el.querySelectorAll(s)].map((x) => x.textContent);
  const inside = [...el.querySelectorAll('.head > *, .ruler .fn, .ruler .gap')].filter((x) => x.textContent && x.getClientRects().length)
    .filter((x) => { const r = x.getBoundingClientRect(); return r.right > innerWidth + 1 || r.bottom > innerHeight + 1 || r.left < -1; });
  return {
    on: true, where: text('.where'), station: text('.station'), code: text('.head code'), said: text('.said'), long: text('.long'), functions: all('.ruler .fn'),
    gaps: all('.ruler .gap'), now: [...el.querySelectorAll('.ruler li')].findIndex((x) => x.classList.contains('now')),
    cut: ((x) => x && x.scrollWidth > x.clientWidth + 1 ? x.textContent : '')(el.querySelector('.said')),
    out: inside.map((x) => x.textContent),
  };
})()`

type rideShown struct {
	On                      bool
	Where, Code, Said, Long string
	Station, Cut            string
	Functions, Gaps, Out    []string
	Now                     int
}

type rideTold struct {
	Key    string
	Whole  bool
	Micros float64
	Hops   []struct {
		Seq, AtMillis, SinceMicros float64
		Stage, Kind, Function      string
		Listener                   int
	}
}

// bright are the stations whose rows do not recede, and brightAt those to expect, by the stage of a hop. A row that stands for several handlers is one of them.
const bright = `[...new Set([...document.querySelectorAll('.tracks-rows [data-station]:not(:has(> .row-name.dim))')]
	.map((x) => x.dataset.station.replace('fold', 'handler')))].join()`

var brightAt = map[string]string{
	"api": "cluster,reflector", "reflector": "reflector", "queue": "queue", "indexer": "indexer", "listener": "handler", "controller": "work",
}

// TestARide rides one change of an object from the wire to the worker. Each hop's station, function and time are the log's, no station is covered,
// and the view returns to where it was.
func TestARide(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for _, c := range []struct {
		name, fragment string
		w, h           int64
	}{
		{"stage", "&objects=10&seed=7&lang=en", 1280, 720},
		{"zh", "&objects=10&seed=7&lang=zh&theme=light", 1920, 1080},
		{"presenter", "&objects=10&seed=7&presenter=1", 1280, 720},
		{"old", "&objects=10&seed=7&era=1.31", 1280, 720},
		{"phone", "&objects=10&seed=7", 390, 844},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := harness.OpenStage(t, browser.StartForTest(t), srv, c.fragment, c.w, c.h)
			if bad := harness.EvalIn[string](t, page, "informerscope.ride('nobody/nothing').then(() => 'rides', (e) => e.message)"); bad == "rides" || bad == "" {
				t.Errorf("an object that is not there: %q", bad)
			}
			harness.EvalIn[bool](t, page, "informerscope.cluster('burst', {n: 3}).then(() => true)")
			harness.WaitUntil(t, page, "stage.ridden()")
			key := harness.EvalIn[string](t, page, "stage.ridden()")
			harness.EvalIn[bool](t, page, "informerscope.rideObject(%q).then(() => true)", key)
			// It continues by itself until a person takes over.
			for _, k := range []string{" ", "Home"} {
				if err := page.Keys(t.Context(), k); err != nil {
					t.Fatal(err)
				}
			}
			harness.Settle(t, page)
			// At a moment within the ride it is the same change.
			told := harness.EvalIn[rideTold](t, page, "informerscope.ride(%q)", key)
			if !told.Whole || len(told.Hops) < 6 {
				t.Fatalf("%s: whole %v, %d hops", key, told.Whole, len(told.Hops))
			}
			for i, hop := range told.Hops {
				if i > 0 {
					if err := page.Keys(t.Context(), "ArrowRight"); err != nil {
						t.Fatal(err)
					}
				}
				harness.WaitUntil(t, page, fmt.Sprintf("informerscope.state().then((s) => s.seq === %d)", int(hop.Seq)))
				harness.Settle(t, page)
				shown := harness.EvalIn[rideShown](t, page, rideNow)
				if !shown.On || shown.Now != i || shown.Code != hop.Function || shown.Said == "" || len(shown.Functions) != len(told.Hops) ||
					shown.Functions[i] != hop.Function {
					t.Errorf("hop %d is %+v, shown as %+v", i, hop, shown)
				}
				if got, want := harness.EvalIn[string](t, page, bright), brightAt[hop.Stage]; got != want {
					t.Errorf("hop %d, %s, at the %s: the rows that do not recede are %s", i, hop.Kind, hop.Stage, got)
				}
				if len(shown.Out) > 0 {
					t.Errorf("hop %d: out of sight: %q", i, shown.Out)
				}
				if c.name != "phone" && hop.SinceMicros < 10_000 && i > 0 {
					want := fmt.Sprintf("+%d µs", int(hop.SinceMicros))
					if hop.SinceMicros < 1 {
						want = "+<1 µs"
					}
					if strings.ReplaceAll(shown.Gaps[i-1], ",", "") != want {
						t.Errorf("hop %d came after %s, and %s is drawn", i, want, shown.Gaps[i-1])
					}
				}
				if i < 4 || i == len(told.Hops)-1 {
					harness.Shot(t, page, fmt.Sprintf("ride-%s-%02d-%s", c.name, i, hop.Kind))
				}
			}
			if err := page.Keys(t.Context(), "Escape"); err != nil {
				t.Fatal(err)
			}
			harness.WaitUntil(t, page, "informerscope.state().then((s) => s.view.mode === 'live')")
			if shown := harness.EvalIn[rideShown](t, page, rideNow); shown.On {
				t.Error("the ride has not ended")
			}
		})
	}
}

// TestTheInspectorCoversNothingItSpeaksOf goes to each hop of an object's way with the inspector open.
func TestTheInspectorCoversNothingItSpeaksOf(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&objects=10&seed=7&lang=en", 1280, 720)
	harness.EvalIn[bool](t, page, "informerscope.cluster('burst', {n: 3}).then(() => true)")
	harness.WaitUntil(t, page, "stage.ridden()")
	key := harness.EvalIn[string](t, page, "stage.ridden()")
	told := harness.EvalIn[rideTold](t, page, "informerscope.ride(%q)", key)
	harness.EvalIn[bool](t, page, "(informerscope.selectObject(%q), true)", key)
	for i, hop := range told.Hops {
		harness.EvalIn[bool](t, page, "informerscope.seek(%d).then(() => true)", int(hop.Seq))
		// Before it is in the store the inspector has only its position.
		stage := map[string]string{"listener": "listeners"}[hop.Stage]
		if stage == "" {
			stage = hop.Stage
		}
		harness.WaitUntil(t, page, fmt.Sprintf("((station) => !stage.covered('.drawer', station))(stage.spokenOf() || %q)", stage))
		harness.Settle(t, page)
		if hop.Stage == "api" || i == len(told.Hops)-1 {
			harness.Shot(t, page, "inspector-"+hop.Stage)
		}
	}
}
