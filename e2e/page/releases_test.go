package page_test

import (
	"image"
	"path/filepath"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestTwoReleasesSayWhatWaits holds Pop in two releases during a burst: a DeltaFIFO has a key for each object, a RealFIFO an entry for each change. What the
// sentence and the two queues say is what the state has, also after a jump far away and back.
func TestTwoReleasesSayWhatWaits(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=120&rate=0&era=1.31,1.37&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced && l.reflector.phase === 'watching')")
	harness.Call(t, p, "hold('pop')")
	harness.Call(t, p, "cluster('burst', {n: 300})")
	harness.Await(t, p, time.Minute, "s.lanes[1].queue.depth >= 300 && s.lanes[0].queue.depth < 300")
	harness.Pause(t, p)
	last := harness.Await(t, p, time.Minute, "s.view.mode === 'paused'").Seq
	says := func(seq uint64) {
		t.Helper()
		harness.Call(t, p, "seek(%d)", seq)
		harness.Await(t, p, time.Minute, "s.seq === %d", seq)
		harness.WaitUntil(t, p, `informerscope.state().then(({lanes}) => lanes.every(({queue: {depth, waiting}}, i) =>
			document.querySelector(".say").textContent.replace(/,/g, "").includes(depth + (i ? " entr" : " key"))
			&& [...document.querySelectorAll(".tracks-rows [data-station=queue] .sr")][i].textContent.startsWith(": " + waiting + " change")))`)
	}
	says(last)
	harness.Shot(t, p, "held-300")
	says(last - 200)
	harness.Call(t, p, "seek(40)")
	says(last)
	p.ExpectClean(t)
}

// TestTwoReleasesScreens checks two releases with a burst of a few changes, held and released, in each shape of the page.
func TestTwoReleasesScreens(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	type view struct {
		name, fragment string
		size           image.Point
	}
	for _, view := range harness.Layouts(3, []view{
		{"stage", "", image.Pt(1280, 720)},
		{"presenter 4 to 3", "&presenter=1", image.Pt(1024, 768)},
		{"phone", "", image.Pt(390, 844)},
		{"large", "", image.Pt(1920, 1080)},
		{"presenter", "&presenter=1", image.Pt(1280, 720)},
	}) {
		t.Run(view.name, func(t *testing.T) {
			t.Parallel() // each has a browser of its own: a page in the background paints nothing
			b := browser.StartForTest(t)
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=3&rate=0&era=1.31,1.37&lang=en"+view.fragment, int64(view.size.X), int64(view.size.Y))
			look := func(what string) {
				for _, o := range [][2]string{{"dark", "en"}, {"light", "zh"}} {
					harness.SetLook(t, p, o[0], o[1], int64(view.size.X), int64(view.size.Y))
					harness.Shot(t, p, filepath.Join(view.name, what+"-"+o[0]+"-"+o[1]))
					harness.ExpectWell(t, p)
				}
			}
			harness.Call(t, p, "hold('pop')")
			harness.Call(t, p, "cluster('burst', {n: 5})")
			harness.Await(t, p, time.Minute, "s.lanes[1].queue.depth >= 5")
			look("held-5")
			harness.Call(t, p, "release('pop', 0)")
			harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.queue.depth === 0 && l.listeners[0].pending === 0)")
			look("released-5")
			harness.Call(t, p, "hold('pop')")
			harness.Call(t, p, "cluster('burst', {n: 300})")
			harness.Await(t, p, time.Minute, "s.lanes[1].queue.depth >= 300")
			look("held-300")
			harness.Call(t, p, "release('pop', 0)")
			harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.queue.depth === 0 && l.listeners[0].pending === 0)")
			look("released-300")
			harness.Call(t, p, "fault('refuse', {on: true})")
			harness.Call(t, p, "fault('cut')")
			harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.reflector.phase === 'backoff' && l.reflector.backoffMillis > 3000)")
			look("waits")
			p.ExpectClean(t)
		})
	}
}
