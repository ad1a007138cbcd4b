package page_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// openSim opens the page on a simulated cluster.
func openSim(t *testing.T, fragment string, width, height int64) *browser.Page {
	t.Helper()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", width, height)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.WatchLoading); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+fragment); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestSimulated opens the page on the simulated cluster and uses the automation API as the page's own buttons do.
func TestSimulated(t *testing.T) {
	t.Parallel()
	page := openSim(t, "&source=sim&seed=7", 1280, 720)
	s := harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'")
	if s.Source.Kind != "sim" || s.Release != "1.37" || s.Queue.Kind != "RealFIFO" {
		t.Errorf("source %q, release %q, queue %q; want sim, 1.37, RealFIFO", s.Source.Kind, s.Release, s.Queue.Kind)
	}
	harness.Await(t, page, time.Minute, "s.seq > %d && s.reflector.events > %d", s.Seq+20, s.Reflector.Events)
	harness.Shot(t, page, "1-running")

	t.Run("loading", func(t *testing.T) {
		said, err := browser.Eval[[]string](harness.Timeout(t, 30*time.Second), page, "globalThis.__loading")
		if err != nil {
			t.Fatal(err)
		}
		if len(said) < 2 {
			t.Errorf("while the page loaded its progress bar said %q, want it to move", said)
		}
	})
	t.Run("fits", func(t *testing.T) { harness.ExpectFits(t, page) })
	t.Run("cut", func(t *testing.T) {
		before := harness.Await(t, page, time.Minute, "s.reflector.phase === 'watching'")
		harness.Call(t, page, "fault('cut')")
		harness.Await(t, page, time.Minute, "s.reflector.watches > %d && s.reflector.phase === 'watching'", before.Reflector.Watches)
		harness.Await(t, page, time.Minute, "s.reflector.events > %d", before.Reflector.Events)
	})
	t.Run("410", func(t *testing.T) {
		before := harness.Await(t, page, time.Minute, "s.reflector.phase === 'watching'")
		harness.Call(t, page, "fault('410')")
		harness.Await(t, page, time.Minute, "s.reflector.relists > %d && s.reflector.phase === 'watching' && s.queue.synced", before.Reflector.Relists)
	})
	t.Run("hold", func(t *testing.T) {
		harness.Call(t, page, "hold('pop')")
		harness.Await(t, page, time.Minute, "s.queue.depth >= 3")
		harness.Shot(t, page, "2-held")
		harness.Call(t, page, "release('pop', 0)")
		harness.Await(t, page, time.Minute, "s.queue.depth === 0")
	})
	t.Run("time", func(t *testing.T) {
		harness.Pause(t, page)
		paused := harness.Await(t, page, time.Minute, "!s.live && s.view.mode === 'paused'")
		harness.Await(t, page, time.Minute, "s.view.head > %d && s.seq === %d", paused.Seq+10, paused.Seq)
		harness.Call(t, page, "step(1)")
		harness.Await(t, page, time.Minute, "s.seq === %d", paused.Seq+1)
		harness.Call(t, page, "step(-2)")
		back := harness.Await(t, page, time.Minute, "s.seq === %d", paused.Seq-1)
		harness.Call(t, page, "seek(%d)", paused.Seq)
		again := harness.Await(t, page, time.Minute, "s.seq === %d", paused.Seq)
		if again.Indexer.Count != paused.Indexer.Count || again.Reflector.Events != paused.Reflector.Events || back.Seq != paused.Seq-1 {
			t.Errorf("back at seq %d there are %d pods after %d events, before there were %d after %d",
				paused.Seq, again.Indexer.Count, again.Reflector.Events, paused.Indexer.Count, paused.Reflector.Events)
		}
		harness.Shot(t, page, "3-paused")
		harness.Call(t, page, "play(8)")
		harness.Await(t, page, time.Minute, "s.seq > %d", paused.Seq+20)
	})
	t.Run("release", func(t *testing.T) {
		harness.Call(t, page, "select({era: '1.31'})")
		s := harness.Await(t, page, time.Minute, "s.era === '1.31' && s.queue.synced && s.indexer.count > 0")
		if s.Queue.Kind != "DeltaFIFO" || s.Reflector.Lists == 0 {
			t.Errorf("release 1.31 has a %s after %d lists, want a DeltaFIFO after a LIST", s.Queue.Kind, s.Reflector.Lists)
		}
		harness.Shot(t, page, "4-deltafifo")
		harness.Call(t, page, "select({era: '1.31,1.37'})")
		both := harness.Await(t, page, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced && l.indexer.count > 0)")
		if both.Lanes[0].Queue.Kind != "DeltaFIFO" || both.Lanes[1].Queue.Kind != "RealFIFO" {
			t.Errorf("the lanes have a %s and a %s, want a DeltaFIFO and a RealFIFO", both.Lanes[0].Queue.Kind, both.Lanes[1].Queue.Kind)
		}
		harness.Shot(t, page, "5-lanes")
		harness.ExpectFits(t, page)
	})
	page.ExpectClean(t)
}

// TestSameSeedSameStory opens two pages with one seed: their clusters begin with the same objects.
func TestSameSeedSameStory(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	var counts []int
	var spread []map[string]int
	for range 2 {
		page := b.OpenForTest(t, srv.URL+"&source=sim&seed=7&objects=300&rate=0", 1280, 720)
		s := harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count > 0")
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
