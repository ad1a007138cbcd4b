package browser

import (
	"context"
	"testing"
	"time"
)

// TestTrace watches a page that works two milliseconds in each frame.
func TestTrace(t *testing.T) {
	b := StartForTest(t)
	p := b.OpenForTest(t, "data:text/html,<script>const f=()=>{"+
		"console.timeStamp('begin');const t=performance.now();while(performance.now()-t<2);console.timeStamp('end');document.title=t;"+
		"requestAnimationFrame(f)};f()</script>", 300, 200)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	frames, tasks, err := p.Trace(ctx, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(frames) < 5 || len(tasks) < len(frames) {
		t.Fatalf("%d frames and %d tasks in a second", len(frames), len(tasks))
	}
	for _, f := range frames[1:] {
		if f.Mark < 1500*time.Microsecond || f.Mark > f.Script || f.MarkCPU <= 0 || f.MarkCPU > f.Mark+time.Millisecond {
			t.Errorf("2 ms between the marks of a frame are %s, %s on the processor, of %s of script", f.Mark, f.MarkCPU, f.Script)
		}
		if f.Script < 1900*time.Microsecond || f.Script > time.Second || f.Layout < 0 || f.Paint < 0 {
			t.Errorf("a frame of 2 ms of script is %+v", f)
		}
	}
	// A loop that spins is on the processor, except while other programs have it, which may be most of the time.
	var wall, cpu time.Duration
	for _, f := range frames[1:] {
		wall, cpu = wall+f.Script, cpu+f.ScriptCPU
	}
	if cpu > wall || cpu <= 0 {
		t.Errorf("of %s of script %s were on the processor", wall, cpu)
	}
	t.Logf("%d frames, %s of script, %s on the processor", len(frames), wall, cpu)
	m, err := p.Memory(ctx)
	if err != nil || m.Heap <= 0 {
		t.Errorf("the page's memory is %+v, %v", m, err)
	}
}
