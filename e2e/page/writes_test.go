package page_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestWrites lets the controller write to the simulated cluster: the counts, the way of a written object, a conflict, and the switch.
func TestWrites(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=60&rate=0&lang=en", 1280, 720)
	const quiet = "s.queue.depth === 0 && s.workqueue.depth === 0 && s.workqueue.processing.length === 0"
	harness.Await(t, p, time.Minute, "s.queue.synced && s.workqueue?.reconciles >= 60 && "+quiet)
	// The objects at the start are already observed.
	harness.Await(t, p, time.Minute, "s.workqueue.writing && s.workqueue.writes + s.workqueue.conflicts === 0")
	harness.Call(t, p, "cluster('create', {name: 'w', replicas: 5})")
	awaitObserved := func(t *testing.T, prefix string, n int) {
		t.Helper()
		if err := p.WaitFor(harness.Timeout(t, time.Minute), fmt.Sprintf(`Promise.all((await informerscope.state()).lanes?.map((_, i) => i) ?? [0])
		.then((lanes) => Promise.all(lanes.map(async (lane) => {
			const keys = (await informerscope.index("namespace", "default", lane)).keys.filter((k) => k.startsWith("default/%s-"));
			const pods = await Promise.all(keys.map((k) => informerscope.object(k, lane)));
			return pods.length === %d && pods.every((o) => o.json.status.containerStatuses?.[0].ready
				&& o.json.metadata.annotations["informerscope.dev/observed-phase"] === "Running");
		}))).then((all) => all.every(Boolean))`, prefix, n), "informerscope.state().then((s) => s.workqueue)"); err != nil {
			t.Fatal(err)
		}
	}
	awaitObserved(t, "w", 5)
	s := harness.Await(t, p, time.Minute, "s.workqueue.retries === 0 && s.workqueue.waitingCount === 0 && "+quiet)
	harness.Settle(t, p)
	state := harness.EvalJSON[fold.State](t, p, "informerscope.state().then(JSON.stringify)")
	wq := state.Workqueue
	// Each pod is Pending and then Running; the first may be over before it is written.
	if wq.Writes < 5 || wq.Writes > 10 || wq.WriteFails != 0 || wq.LastWrite == nil || wq.LastWrite.Open {
		t.Errorf("for five pods it wrote %+v", wq)
	}
	// Its writes do not arrive: the store stands still.
	events := s.Reflector.Events
	harness.Call(t, p, "cluster('scale', {name: 'w', replicas: 5})")
	harness.Await(t, p, 20*time.Second, "s.seq > %d", state.Seq)
	if again := harness.Await(t, p, 10*time.Second, quiet); again.Reflector.Events != events {
		t.Errorf("%d events followed the last write", again.Reflector.Events-events)
	}
	harness.Shot(t, p, "1-written")

	t.Run("journey", func(t *testing.T) {
		log, err := harness.Recording(harness.Timeout(t, time.Minute), p)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(log, func(e event.Entry) bool { return e.Kind == event.KindClusterWritten && e.ClusterWritten().Err == nil })
		harness.Call(t, p, "seek(%d)", log[i].Seq)
		harness.Call(t, p, "selectObject(%q)", log[i].Key())
		harness.Use(t, p, harness.Control{Page: fmt.Sprintf(`/written by worker %d, rv %s/.test(stage.find(".drawer .hops")?.textContent)`, log[i].Listener(), log[i].RV())})
		harness.Shot(t, p, "2-journey")
		harness.Use(t, p, harness.Control{Do: []string{"keys Escape"}, Page: "!stage.find('.drawer')"})
		harness.Call(t, p, "live()")
	})
	t.Run("conflict", func(t *testing.T) {
		harness.Call(t, p, "hold('take')")
		harness.Call(t, p, "cluster('create', {name: 'late', replicas: 1})")
		harness.Await(t, p, 30*time.Second, "s.workqueue.depth === 1 && s.indexer.count === 66")
		// The pod runs before the controller has seen it; then the store stops receiving its events.
		harness.Await(t, p, 30*time.Second, "s.listeners.every((l) => l.pending === 0) && s.atMillis > 0")
		if err := p.WaitFor(harness.Timeout(t, 30*time.Second),
			`informerscope.state().then((s) => informerscope.object(s.workqueue.queue[0])).then((o) => o.json.status.phase === "Running")`, "0"); err != nil {
			t.Fatal(err)
		}
		harness.Call(t, p, "hold('store')")
		harness.Call(t, p, "cluster('burst', {n: 2000})")
		harness.Await(t, p, 30*time.Second, "s.holds.find((h) => h.stage === 'store').waiting")
		harness.EvalIn[bool](t, p, "stage.keep()")
		harness.Call(t, p, "release('take', 0)")
		harness.AwaitState(t, p, 20*time.Second,
			"s.workqueue.conflicts >= b.workqueue.conflicts + 3 && s.workqueue.lastWrite.code === 409 && s.workqueue.writes === "+
				"b.workqueue.writes")
		harness.Shot(t, p, "3-conflict")
		harness.Call(t, p, "release('store', 0)")
		harness.AwaitState(t, p, time.Minute, "s.workqueue.writes === b.workqueue.writes + 1 && s.workqueue.retries === 0")
	})
	t.Run("switch", func(t *testing.T) {
		if on := harness.EvalIn[bool](t, p, "informerscope.writes()"); on {
			t.Error("writes() does not switch off")
		}
		harness.Await(t, p, time.Minute, "!s.workqueue.writing")
		harness.Call(t, p, "cluster('create', {name: 'unseen', replicas: 2})")
		harness.EvalIn[bool](t, p, "stage.keep()")
		harness.AwaitState(t, p, 30*time.Second, "s.indexer.count >= 68 && s.workqueue.reconciles > b.workqueue.reconciles && "+quiet)
		harness.AwaitState(t, p, time.Second, "s.workqueue.writes === b.workqueue.writes")
		harness.Shot(t, p, "4-off")
		if on := harness.EvalIn[bool](t, p, "informerscope.writes()"); !on {
			t.Error("writes() does not switch on")
		}
		harness.AwaitState(t, p, time.Minute, "s.workqueue.writing && s.workqueue.writes >= b.workqueue.writes + 2")
		if on := harness.EvalIn[bool](t, p, "informerscope.writes(false)"); on {
			t.Error("writes(false) says that it writes")
		}
		harness.Call(t, p, "writes(true)")
	})
	t.Run("two releases", func(t *testing.T) {
		harness.Call(t, p, "select({era: '1.31,1.37'})")
		harness.Await(t, p, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced)")
		harness.Call(t, p, "cluster('create', {name: 'both', replicas: 4})")
		awaitObserved(t, "both", 4)
		harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.workqueue.retries === 0 && l.workqueue.depth === 0) && s.lanes.reduce((n, l) => n + "+
			"l.workqueue.writes, 0) >= 4")
		harness.Shot(t, p, "5-two-eras")
	})
	p.ExpectClean(t)
}
