package e2e

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// watchLoading records the values of every progress bar while the page loads, from before the page's first script.
const watchLoading = `(() => {
	const said = globalThis.__loading = [];
	const look = () => {
		for (const bar of document.querySelectorAll("[role=progressbar], progress")) {
			const now = bar.getAttribute("aria-valuenow") ?? bar.getAttribute("value") ?? bar.getAttribute("aria-valuetext") ?? "";
			if (now !== "" && said[said.length - 1] !== now) said.push(now);
		}
	};
	new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})()`

// openSim opens the page on a simulated cluster.
func openSim(t *testing.T, fragment string, width, height int64) *browser.Page {
	t.Helper()
	srv := startServer(t, "--listen=127.0.0.1:0")
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", width, height)
	if err := page.OnNewDocument(within(t, 30*time.Second), watchLoading); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(within(t, time.Minute), srv.url+fragment); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestSimulated opens the page on the simulated cluster and uses the automation API as the page's own buttons do.
func TestSimulated(t *testing.T) {
	page := openSim(t, "&source=sim&seed=7", 1280, 720)
	s := await(t, page, time.Minute, "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'")
	if s.Source.Kind != "sim" || s.Release != "1.37" || s.Queue.Kind != "RealFIFO" {
		t.Errorf("source %q, era %q, queue %q; want sim, 1.37, RealFIFO", s.Source.Kind, s.Release, s.Queue.Kind)
	}
	await(t, page, time.Minute, "s.seq > %d && s.reflector.events > %d", s.Seq+20, s.Reflector.Events)
	shot(t, page, "1-running")

	t.Run("loading", func(t *testing.T) {
		said, err := browser.Eval[[]string](within(t, 30*time.Second), page, "globalThis.__loading")
		if err != nil {
			t.Fatal(err)
		}
		if len(said) < 2 {
			t.Errorf("while the page loaded its progress bar said %q, want it to move", said)
		}
	})
	t.Run("fits", func(t *testing.T) { expectFits(t, page) })
	t.Run("cut", func(t *testing.T) {
		before := await(t, page, time.Minute, "s.reflector.phase === 'watching'")
		call(t, page, "fault('cut')")
		await(t, page, time.Minute, "s.reflector.watches > %d && s.reflector.phase === 'watching'", before.Reflector.Watches)
		await(t, page, time.Minute, "s.reflector.events > %d", before.Reflector.Events)
	})
	t.Run("410", func(t *testing.T) {
		before := await(t, page, time.Minute, "s.reflector.phase === 'watching'")
		call(t, page, "fault('410')")
		await(t, page, time.Minute, "s.reflector.relists > %d && s.reflector.phase === 'watching' && s.queue.synced", before.Reflector.Relists)
	})
	t.Run("hold", func(t *testing.T) {
		call(t, page, "hold('pop')")
		await(t, page, time.Minute, "s.queue.depth >= 3")
		shot(t, page, "2-held")
		call(t, page, "release('pop', 0)")
		await(t, page, time.Minute, "s.queue.depth === 0")
	})
	t.Run("time", func(t *testing.T) {
		call(t, page, "pause()")
		paused := await(t, page, time.Minute, "!s.live && s.view.mode === 'paused'")
		await(t, page, time.Minute, "s.view.head > %d && s.seq === %d", paused.Seq+10, paused.Seq)
		call(t, page, "step(1)")
		await(t, page, time.Minute, "s.seq === %d", paused.Seq+1)
		call(t, page, "step(-2)")
		back := await(t, page, time.Minute, "s.seq === %d", paused.Seq-1)
		call(t, page, "seek(%d)", paused.Seq)
		again := await(t, page, time.Minute, "s.seq === %d", paused.Seq)
		if again.Indexer.Count != paused.Indexer.Count || again.Reflector.Events != paused.Reflector.Events || back.Seq != paused.Seq-1 {
			t.Errorf("back at seq %d there are %d pods after %d events, before there were %d after %d",
				paused.Seq, again.Indexer.Count, again.Reflector.Events, paused.Indexer.Count, paused.Reflector.Events)
		}
		shot(t, page, "3-paused")
		call(t, page, "play(8)")
		await(t, page, time.Minute, "s.seq > %d", paused.Seq+20)
	})
	t.Run("era", func(t *testing.T) {
		call(t, page, "select({era: '1.31'})")
		s := await(t, page, time.Minute, "s.era === '1.31' && s.queue.synced && s.indexer.count > 0")
		if s.Queue.Kind != "DeltaFIFO" || s.Reflector.Lists == 0 {
			t.Errorf("era 1.31 has a %s after %d lists, want a DeltaFIFO after a LIST", s.Queue.Kind, s.Reflector.Lists)
		}
		shot(t, page, "4-deltafifo")
		call(t, page, "select({era: '1.31,1.37'})")
		both := await(t, page, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced && l.indexer.count > 0)")
		if both.Lanes[0].Queue.Kind != "DeltaFIFO" || both.Lanes[1].Queue.Kind != "RealFIFO" {
			t.Errorf("the lanes have a %s and a %s, want a DeltaFIFO and a RealFIFO", both.Lanes[0].Queue.Kind, both.Lanes[1].Queue.Kind)
		}
		shot(t, page, "5-lanes")
		expectFits(t, page)
	})
	page.ExpectClean(t)
}

// TestSameSeedSameStory opens two pages with one seed: their clusters begin with the same objects.
func TestSameSeedSameStory(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	var counts []int
	var spread []map[string]int
	for range 2 {
		page := b.OpenForTest(t, srv.url+"&source=sim&seed=7&objects=300&rate=0", 1280, 720)
		s := await(t, page, time.Minute, "s.queue.synced && s.indexer.count > 0")
		counts, spread = append(counts, s.Indexer.Count), append(spread, s.Indexer.Indices["namespace"])
		page.ExpectClean(t)
	}
	if counts[0] != counts[1] {
		t.Errorf("seed 7 gives %d pods and %d pods, want the same", counts[0], counts[1])
	}
	for name, n := range spread[0] {
		if spread[1][name] != n {
			t.Errorf("seed 7 puts %d and %d pods in %s, want the same", n, spread[1][name], name)
		}
	}
}

// expectFits checks that the page needs no scrolling at its present size.
func expectFits(t *testing.T, page *browser.Page) {
	t.Helper()
	size, err := browser.Eval[[]int](within(t, 30*time.Second), page,
		"[document.scrollingElement.scrollWidth, document.scrollingElement.scrollHeight, innerWidth, innerHeight]")
	if err != nil {
		t.Fatal(err)
	}
	if size[0] > size[2] || size[1] > size[3] {
		t.Errorf("the page is %dx%d in a window of %dx%d, want no scrolling", size[0], size[1], size[2], size[3])
	}
}

// TestScreens keeps screenshots of the page at the sizes and themes that it supports, and checks what can be checked of them.
func TestScreens(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, tt := range []struct {
		name, fragment string
		width, height  int64
		scrolls        bool // vertically, as on a phone; never horizontally
	}{
		{"dark-1280", "&theme=dark", 1280, 720, false},
		{"light-1280", "&theme=light", 1280, 720, false},
		{"contrast-1280", "&theme=contrast", 1280, 720, false},
		{"zh-1280", "&lang=zh", 1280, 720, false},
		{"presenter-1920", "&presenter=1", 1920, 1080, false},
		{"4k", "", 3840, 2160, false},
		{"phone-390", "", 390, 844, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := b.OpenForTest(t, srv.url+"&source=sim&seed=7"+tt.fragment, tt.width, tt.height)
			await(t, page, time.Minute, "s.queue.synced && s.indexer.count > 0")
			shot(t, page, tt.name)
			if tt.scrolls {
				sideways, err := browser.Eval[bool](within(t, 30*time.Second), page, "document.scrollingElement.scrollWidth > innerWidth")
				if err != nil || sideways {
					t.Errorf("the page scrolls sideways: %v, %v", sideways, err)
				}
			} else {
				expectFits(t, page)
			}
			page.ExpectClean(t)
		})
	}
}
