package stage_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// picturesOfMaps are the pixels of the two maps, as long texts.
const picturesOfMaps = "['cluster', 'store'].map((side) => stage.find(`.world-${side} canvas`).toDataURL())"

// TestMapsShowWhatTheStoreLacks holds Pop while objects are added, changed and deleted: the number between the maps is how many changes lie there, and the
// maps differ. Released, both have the same number and the same picture.
func TestMapsShowWhatTheStoreLacks(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=40&rate=0&lang=en", 1280, 720)
	// What lights up after a change fades before the pictures are compared.
	const alike = "(([a, b]) => a === b)(" + picturesOfMaps + ")"
	harness.WaitUntil(t, p, "stage.find('.world-number').textContent === '=' && "+alike)
	harness.EvalIn[bool](t, p, `(async () => {
		const I = informerscope;
		await I.hold('pop');
		await I.cluster('delete', {key: (await I.index('namespace', 'shop')).keys[0]});
		await I.cluster('create', {namespace: 'shop', name: 'added', replicas: 2});
		await I.cluster('burst', {n: 3});
		return true;
	})()`)
	harness.Await(t, p, time.Minute, "s.queue.mix.Deleted >= 1 && s.queue.depth >= 6")
	harness.Pause(t, p)
	harness.Settle(t, p)
	harness.Shot(t, p, "held")
	number, s := harness.EvalIn[string](t, p, "stage.find('.world-number').textContent"), stateOf(t, p)
	if number != strconv.Itoa(s.World.Apart) || s.World.Apart < 6 {
		t.Errorf("between the maps stands %q; %d changes are, and at least 6 were made", number, s.World.Apart)
	}
	if harness.EvalIn[bool](t, p, alike) {
		t.Error("the two maps are the same picture")
	}
	expectTrue(t, p, 6)
	harness.Call(t, p, "live()")
	harness.Call(t, p, "release('pop', 0)")
	harness.WaitUntil(t, p, "stage.find('.world-number').textContent === '=' && "+alike)
	p.ExpectClean(t)
}

// TestMapsAreOfTheirMoment goes back and forth in a log in which objects come and go. What is drawn cell by cell is what is drawn again after a change of
// the window's size.
func TestMapsAreOfTheirMoment(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=240&rate=20&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.seq > 6500")
	harness.Pause(t, p)
	later := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'")
	for _, seq := range []uint64{6400, 5400, 900, 5401, later.Seq} {
		seekTo(t, p, seq)
		resize := func(w int64) {
			if err := p.Resize(harness.Timeout(t, 10*time.Second), w, 720); err != nil {
				t.Fatal(err)
			}
			harness.Settle(t, p)
		}
		const keep = "(globalThis.__pictures = " + picturesOfMaps + ".join())"
		// A light of a change fades.
		harness.WaitUntil(t, p, "globalThis.__pictures === "+keep)
		harness.EvalIn[string](t, p, "(globalThis.__drawn = "+picturesOfMaps+".join()).slice(0, 9)")
		resize(1300)
		resize(1280)
		if !harness.EvalIn[bool](t, p, "__drawn === "+picturesOfMaps+".join()") {
			harness.Shot(t, p, fmt.Sprint("redrawn-", seq))
			t.Errorf("at %d the maps are drawn otherwise when they are drawn again", seq)
		}
		expectTrue(t, p, 6)
	}
	p.ExpectClean(t)
}

// TestDistanceOnEveryLayout compares the number between the maps, on the stage, in presenter mode and on the phone, with the state. It does so before
// the first list, while the cluster does not answer, and of one namespace while the cluster's version goes further.
func TestDistanceOnEveryLayout(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&namespace=shop&rate=30&lang=en", 1280, 720)
	harness.Call(t, p, "hold('pop')")
	harness.Await(t, p, 30*time.Second, "s.queue.waiting >= 4")
	harness.Call(t, p, "fault('refuse', {on: true})")
	harness.Call(t, p, "fault('cut')")
	harness.Await(t, p, 30*time.Second, "s.reflector.phase === 'backoff' && s.world.apart > s.queue.waiting + 4")
	harness.Pause(t, p)
	down := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'").Seq
	for _, view := range []struct {
		name          string
		presenting    bool
		width, height int64
	}{
		{"stage", false, 1280, 720}, {"presenter", true, 1280, 720}, {"presenter 4 to 3", true, 1024, 768}, {"phone", false, 390, 844},
	} {
		t.Run(view.name, func(t *testing.T) {
			if err := p.Resize(harness.Timeout(t, 10*time.Second), view.width, view.height); err != nil {
				t.Fatal(err)
			}
			if view.presenting != harness.EvalIn[bool](t, p, "location.hash.includes('presenter=1')") {
				if err := p.Press(harness.Timeout(t, 10*time.Second), "p"); err != nil {
					t.Fatal(err)
				}
			}
			for _, seq := range []uint64{2, down} {
				seekTo(t, p, seq)
				want := ""
				if s := stateOf(t, p); s.World.Known != "" {
					if want = "="; s.World.Apart > 0 {
						want = strconv.Itoa(s.World.Apart)
					}
				} else if seq == down {
					t.Fatal("nothing is known of the cluster")
				}
				said := harness.EvalIn[string](t, p, "stage.find('.world-number')?.textContent ?? ''")
				if strings.ReplaceAll(said, ",", "") != want {
					t.Errorf("at %d it says %q, the state %q", seq, said, want)
				}
			}
			harness.Shot(t, p, strings.ReplaceAll(view.name, " ", "-"))
		})
	}
	p.ExpectClean(t)
}
