package stage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// stageTexts are the texts that the stage shows between the top bar and the caption.
const stageTexts = `[...document.querySelectorAll('svg.stage text')].filter((el) => el.textContent.trim() &&
	el.checkVisibility({opacityProperty: true, visibilityProperty: true}) && el.getBoundingClientRect().width > 0).map((el) => el.textContent)`

// openCalm opens the page in a browser that has kept no choice, as a person's first visit does.
func openCalm(t *testing.T, url string) *browser.Page {
	t.Helper()
	page, err := browser.StartForTest(t).Open(t.Context(), "about:blank", 1280, 720)
	if err == nil {
		err = page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.StageTools(t))
	}
	if err == nil {
		err = page.Navigate(harness.Timeout(t, time.Minute), url)
	}
	if err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, 2*time.Minute, "s.queue.synced && s.indexer.count > 0")
	return page
}

// TestCalmStage: the stage opens with a sentence a station. A station's details show at the pointer and at the keyboard's focus, and all of them on demand.
// What the stage says is true.
func TestCalmStage(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for _, lang := range []string{"en", "zh"} {
		t.Run(lang, func(t *testing.T) {
			page := openCalm(t, srv.URL+"&source=sim&seed=7&objects=40&rate=3&lang="+lang)
			texts := func() []string { return harness.EvalIn[[]string](t, page, stageTexts) }
			calm := texts()
			if len(calm) > 60 {
				t.Errorf("the calm stage has %d texts: %q", len(calm), calm)
			}
			for range 20 {
				got := harness.EvalIn[harness.Truth](t, page, harness.FindUntrueLive+"([0, 40, 90])")
				if got.Compared < 10 {
					t.Fatalf("%d texts were compared", got.Compared)
				}
				for _, wrong := range got.Wrong {
					t.Error(wrong)
				}
			}
			harness.Shot(t, page, "calm-"+lang)
			opened := func(by string, want ...string) {
				t.Helper()
				const ids = `[...new Set([...document.querySelectorAll('[data-station].opened')].map((el) => el.dataset.station))]`
				if err := page.WaitFor(harness.Timeout(t, 20*time.Second), fmt.Sprintf("String(%s) === %q", ids, strings.Join(want, ",")), ids); err != nil {
					t.Errorf("%s: %v", by, err)
				}
			}
			for at, want := range map[browser.Point][]string{{X: 420, Y: 300}: {"queue"}, {X: 60, Y: 300}: {"api"}, {X: 640, Y: 20}: nil} {
				if err := page.Hover(harness.Timeout(t, 20*time.Second), at); err != nil {
					t.Fatal(err)
				}
				opened(fmt.Sprint("the pointer at ", at), want...)
			}
			if err := page.Hover(harness.Timeout(t, 20*time.Second), browser.Point{X: 640, Y: 20}); err != nil {
				t.Fatal(err)
			}
			harness.EvalIn[bool](t, page, "(document.querySelector('.ptabs button').focus(), true)")
			opened("the keyboard at the Reflector", "reflector")
			harness.EvalIn[bool](t, page, "(document.activeElement.blur(), true)")
			opened("the keyboard at nothing")

			if err := page.Click(harness.Timeout(t, 20*time.Second), "document.querySelector('.icons .details')"); err != nil {
				t.Fatal(err)
			}
			harness.Settle(t, page)
			if all := texts(); len(all) < len(calm)+25 {
				t.Errorf("all details are %d texts, the calm stage has %d", len(all), len(calm))
			}
			if err := page.Reload(harness.Timeout(t, time.Minute)); err != nil {
				t.Fatal(err)
			}
			harness.Await(t, page, 2*time.Minute, "s.queue.synced && s.indexer.count > 0")
			if harness.EvalIn[bool](t, page, "document.querySelector('#app').classList.contains('calm')") {
				t.Error("after a reload the choice is forgotten")
			}
			page.ExpectClean(t)
		})
	}
}

// TestMapsShowWhatTheStoreLacks holds Pop: each change that waits has a frame in the map of the cluster and one around the store's cell, if there is
// one; when Pop goes on, both heal.
func TestMapsShowWhatTheStoreLacks(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := openCalm(t, srv.URL+"&source=sim&seed=7&objects=40&rate=0&lang=en")
	type framed struct{ There, Here []string }
	read := func() framed {
		t.Helper()
		return harness.EvalIn[framed](t, page, harness.Framed+"(document)")
	}
	harness.WaitUntil(t, page, "document.querySelector('.frames path') && !document.querySelector('canvas.gist').hidden")
	if is := read(); len(is.There)+len(is.Here) > 0 {
		t.Errorf("of a store that is current, %+v differ", is)
	}
	harness.EvalIn[bool](t, page, `(async () => {
		const I = informerscope;
		await I.hold('pop');
		const keys = Object.values((await I.index('namespace', 'shop')).keys).slice(0, 1);
		await I.cluster('delete', {key: keys[0]});
		await I.cluster('create', {namespace: 'shop', name: 'added', replicas: 2});
		await I.cluster('burst', {n: 3});
		return true;
	})()`)
	harness.Await(t, page, time.Minute, "s.queue.mix.Deleted >= 1 && s.queue.depth >= 6")
	harness.WaitUntil(t, page, "[...document.querySelectorAll('.frames:not(.behind) path')].map((el) => el.getAttribute('d')).join('').split('M').length > 5")
	harness.Pause(t, page)
	harness.Settle(t, page)
	harness.Shot(t, page, "held")
	is := read()
	want := harness.EvalIn[framed](t, page, harness.Unstored)
	if !slices.Equal(is.There, want.There) || !slices.Equal(is.Here, want.Here) || !slices.Contains(is.There, "f-add") || !slices.Contains(is.Here, "f-del") {
		t.Errorf("the frames are %+v, and are to be %+v", is, want)
	}
	harness.EvalIn[bool](t, page, "informerscope.live().then(() => informerscope.release('pop', 0)).then(() => true)")
	harness.WaitUntil(t, page, "[...document.querySelectorAll('.frames path')].every((el) => !el.getAttribute('d') || !el.checkVisibility())")
	harness.WaitUntil(t, page, `((c) => {
		const {data} = c.getContext('2d').getImageData(0, 0, c.width, c.height);
		const colours = new Set();
		for (let i = 0; i < data.length; i += 4) if (data[i + 3]) colours.add(data.slice(i, i + 3).join());
		const added = getComputedStyle(document.querySelector('.frames .f-add')).stroke.match(/[0-9]+/g).join();
		return colours.size > 0 && !colours.has(added);
	})(document.querySelector('canvas.gist'))`)
	page.ExpectClean(t)
}
