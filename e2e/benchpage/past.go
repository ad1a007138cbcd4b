package main

import (
	"context"
	"fmt"
	"time"

	"informerscope/e2e/browser"
)

// The goal for the past's own drawing, and what it is measured at.
const pastBudget = 2 * time.Millisecond

var (
	pastRates = []int{1000, 10_000}
	pastSizes = [][2]int64{{1280, 720}, {3840, 2160}}
)

// markPast marks each drawing of the past for a trace. The page's own informer brings some 1,000 changes a second and not 10,000. So the counts of what
// passes and waits in each column are multiplied as they come: that is what a worker ten times as fast would send. The first font that a canvas sets has
// the browser compute the styles of what the frame changed elsewhere in the page, which it would do after the frame. So it does that before the mark.
const markPast = `(async () => {
	const {Past} = await import("/stage/past.js");
	const {History} = await import("/wire/past.js");
	const {draw} = Past.prototype, {apply} = History.prototype;
	globalThis.__times = 1;
	Past.prototype.draw = function (...a) {
		getComputedStyle(this.canvas).color;
		console.timeStamp("begin");
		draw.apply(this, a);
		console.timeStamp("end");
		globalThis.__history = this.ctx.model.past;
	};
	const more = (counts) => counts.map((n, i) => i % 2 ? n * __times : n);
	History.prototype.apply = function (past) {
		for (const row of past.rows) for (const column of row.columns ?? []) for (const i of [1, 2]) column[i] = more(column[i]);
		return apply.call(this, past);
	};
})()`

// countChanges is how many changes a second the cluster's row has in the part of its window that is full.
const countChanges = `(() => {
	const {rows, stepMillis, first} = __history;
	const row = rows.find((r) => r.station === "cluster");
	let n = 0;
	for (const [, passes, pile] of row.columns.values()) for (const counts of [passes, pile]) for (let i = 1; i < counts.length; i += 2) n += counts[i];
	return n / ((row.newest - Math.max(first, Math.min(...row.columns.keys())) + 1) * stepMillis / 1000);
})()`

// measurePast measures how long the past is drawn in a frame, with nothing held and with Pop held.
func measurePast(ctx context.Context, b *browser.Browser, url string, t *table) error {
	p, _, err := open(ctx, b, url, "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'")
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := browser.Eval[any](ctx, p, markPast); err != nil {
		return err
	}
	for _, rate := range pastRates {
		for _, size := range pastSizes {
			if _, err := browser.Eval[float64](ctx, p, fmt.Sprintf("__times = %d", rate/pastRates[0])); err != nil {
				return err
			}
			if err := p.Resize(ctx, size[0], size[1]); err != nil {
				return err
			}
			for _, held := range []bool{false, true} {
				if err := measureDrawing(ctx, p, rate, size, held, t); err != nil {
					return err
				}
			}
		}
	}
	if trouble := p.Problems(); len(trouble) > 0 {
		return fmt.Errorf("the page has problems: %v", trouble)
	}
	return nil
}

func measureDrawing(ctx context.Context, p *browser.Page, rate int, size [2]int64, held bool, t *table) error {
	state := "nothing held"
	if held {
		state = "Pop held"
		if _, err := browser.Eval[any](ctx, p, "informerscope.hold('pop')"); err != nil {
			return err
		}
	}
	// The window of eight seconds is full of this then.
	if err := pause(ctx, 8*time.Second); err != nil {
		return err
	}
	frames, _, err := p.Trace(ctx, tracing)
	if err != nil {
		return err
	}
	changes, err := browser.Eval[float64](ctx, p, countChanges)
	if err != nil {
		return err
	}
	if held {
		if _, err := browser.Eval[any](ctx, p, "informerscope.release('pop', 0)"); err != nil {
			return err
		}
	}
	var drawings []browser.Frame
	for _, f := range frames {
		if f.Mark > 0 {
			drawings = append(drawings, f)
		}
	}
	p50, p99, most := spread(drawings, func(f browser.Frame) time.Duration { return f.MarkCPU })
	_, wall, _ := spread(drawings, func(f browser.Frame) time.Duration { return f.Mark })
	t.judge(fmt.Sprintf("%d changes/s, %dx%d, %s, p99", rate, size[0], size[1], state),
		fmt.Sprintf("%s (median %s, most %s; by the clock %s)", ms2(p99), ms2(p50), ms2(most), ms2(wall)), "≤ "+ms(pastBudget), p99 <= pastBudget)
	t.row("", fmt.Sprintf("%d frames, %.0f changes a second drawn", len(drawings), changes), "")
	return nil
}

func ms2(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }
