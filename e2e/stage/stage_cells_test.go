package stage_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// markedPixels counts the pixels that the tokens' canvases draw over the stage: chips that travel, and the marks of changed cells.
const markedPixels = `(() => {
	let n = 0;
	for (const canvas of document.querySelectorAll('.tokens canvas')) {
		if (canvas.hidden || !canvas.width || !canvas.height) continue;
		const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
		for (let i = 3; i < data.length; i += 4) if (data[i]) n++;
	}
	return n;
})()`

// TestSeekBackMarksNothing seeks to a moment before objects existed. They leave the grid, but nothing was deleted: no cell may be marked, and since
// time stands still, a mark would stay.
func TestSeekBackMarksNothing(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=240&rate=20&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.seq > 9000")
	harness.Pause(t, p)
	later := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'")
	for _, seq := range []uint64{6400, 5400} {
		harness.Call(t, p, "seek(%d)", seq)
		s, d := look(t, p)
		if s.Seq != seq || d.Keys != s.Indexer.Count {
			t.Fatalf("at %d the page shows %d with %d cells, the state has %d objects", seq, s.Seq, d.Keys, s.Indexer.Count)
		}
		if n := harness.EvalIn[int](t, p, markedPixels); n != 0 {
			t.Errorf("after turning back from %d to %d there are %d pixels of marks", later.Seq, seq, n)
		}
	}
	// A step forwards may mark a cell, so the count finds something.
	harness.Call(t, p, "seek(%d)", later.Seq)
	harness.Call(t, p, "play()")
	if err := p.WaitFor(harness.Timeout(t, 30*time.Second), markedPixels+" > 0", markedPixels); err != nil {
		t.Errorf("nothing that travels and no mark was ever drawn: %v", err)
	}
	p.ExpectClean(t)
}
