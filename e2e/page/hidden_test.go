package page_test

import (
	"fmt"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// asking counts how often the page asks its worker for a frame, the frames that arrive, and the animation frames. It begins before the page's first
// script.
const asking = `(() => {
	const seen = globalThis.__asking = {wants: 0, frames: 0, ticks: 0};
	const Old = globalThis.Worker;
	globalThis.Worker = class extends Old {
		constructor(...args) {
			super(...args);
			this.addEventListener("message", (e) => { if (e.data?.frame) seen.frames++; });
		}
		postMessage(m, ...rest) {
			if (m?.want) seen.wants++;
			super.postMessage(m, ...rest);
		}
	};
	const tick = () => { seen.ticks++; requestAnimationFrame(tick); };
	requestAnimationFrame(tick);
})()`

type asked struct{ Wants, Frames, Ticks int }

// TestHiddenTab minimises the page's window. While hidden, the page draws nothing and asks for no frame, and the informer continues. Shown again, the
// page is at the end of the log, and reports how long it was away.
func TestHiddenTab(t *testing.T) {
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--rate", "50")
	b := browser.StartForTest(t)
	p := b.OpenForTest(t, "about:blank", 1280, 720)
	for _, script := range []string{harness.StageTools(t), asking} {
		if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), script); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), srv.URL); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, time.Minute, "s.queue.synced && s.reflector.phase === 'watching'")
	before := harness.EvalIn[asked](t, p, "__asking")
	if before.Frames == 0 {
		t.Fatal("the page has shown its informer, and no frame was counted")
	}

	if err := p.Hide(harness.Timeout(t, 10*time.Second), true); err != nil {
		t.Fatal(err)
	}
	harness.WaitUntil(t, p, "document.hidden")
	first := harness.EvalIn[asked](t, p, "__asking")
	// A browser gives a hidden window's process little processor time, so an answer may take long.
	head := func() float64 {
		seq, err := browser.Eval[float64](harness.Timeout(t, time.Minute), p, "informerscope.state().then((s) => s.view.head)")
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	begin := head()
	time.Sleep(6 * time.Second)
	last := harness.EvalIn[asked](t, p, "__asking")
	// Frames that it had asked for may still arrive.
	if first.Wants != last.Wants || first.Ticks != last.Ticks || last.Frames > last.Wants {
		t.Errorf("in 6 s without being seen the page went from %+v to %+v", first, last)
	}
	end := head()
	if end <= begin {
		t.Errorf("the log stands at event %.0f while the page is hidden", end)
	}

	if err := p.Hide(harness.Timeout(t, 10*time.Second), false); err != nil {
		t.Fatal(err)
	}
	harness.WaitUntil(t, p, fmt.Sprintf("!document.hidden && Number(stage.event()) >= %.0f", end))
	harness.WaitUntil(t, p, "/was hidden for [\\d.]+ s: [\\d,]+ events? (was|were) processed and not drawn/.test(document.querySelector('.toast')?.textContent)")
	harness.Pause(t, p)
	s := harness.Await(t, p, 30*time.Second, "s.view.mode === 'paused'")
	harness.WaitUntil(t, p, fmt.Sprintf("stage.event() === '%d'", s.Seq))
	p.ExpectClean(t)
}

// memoryFrames makes every frame of the worker report this much memory.
const memoryFrames = `(() => {
	const Old = globalThis.Worker;
	globalThis.__memory = null;
	globalThis.Worker = class extends Old {
		set onmessage(f) {
			super.onmessage = (e) => {
				if (!e.data?.frame || !globalThis.__memory) return f(e);
				const frame = JSON.parse(new TextDecoder().decode(e.data.frame));
				frame.view.memory = globalThis.__memory;
				f({data: {frame: new TextEncoder().encode(JSON.stringify(frame)).buffer}});
			};
		}
	};
})()`

// TestMemoryIsTold: the worker's memory is in the state, and the page warns when it is large.
func TestMemoryIsTold(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0")
	b := browser.StartForTest(t)
	p := b.OpenForTest(t, "about:blank", 1280, 720)
	for _, script := range []string{harness.StageTools(t), memoryFrames} {
		if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), script); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&lang=en"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, time.Minute, "s.queue.synced && s.reflector.phase === 'watching'")
	// A small cluster takes tens of megabytes, and so does the program itself.
	harness.Await(t, p, 30*time.Second,
		"s.view.memory.live > 2e6 && s.view.memory.live <= s.view.memory.total && s.view.memory.total < 5e8 && s.view.memory.limit "+
			"=== 2 ** 32")
	if words := harness.EvalIn[string](t, p, "document.querySelector('.cap').textContent"); words == "" ||
		harness.EvalIn[bool](t, p, "/Memory is high/.test(document.body.textContent)") {
		t.Fatalf("the page complains of its memory while it is small, or says nothing: %q", words)
	}

	harness.EvalIn[bool](t, p, "!!(__memory = {live: 1.4e9, total: 2.3e9, limit: 2 ** 32})")
	harness.WaitUntil(t, p, "/^Memory is high: 2.3 GB of at most 4.3 GB/.test(document.querySelector('.cap .say').textContent)")
	harness.Shot(t, p, "memory-en")
	harness.ExpectFits(t, p)
	harness.WaitUntil(t, p, "/Memory is high/.test(document.getElementById('live').textContent)")
	if err := p.Press(harness.Timeout(t, 10*time.Second), "l"); err != nil {
		t.Fatal(err)
	}
	harness.WaitUntil(t, p, "/^内存偏高：2.3 GB/.test(document.querySelector('.cap .say').textContent)")
	harness.Shot(t, p, "memory-zh")
	harness.ExpectFits(t, p)

	harness.EvalIn[bool](t, p, "!!(__memory = {live: 1e8, total: 2e8, limit: 2 ** 32})")
	harness.WaitUntil(t, p, "!/内存偏高/.test(document.querySelector('.cap .say').textContent)")
	p.ExpectClean(t)
}
