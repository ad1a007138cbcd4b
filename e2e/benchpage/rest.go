package main

import (
	"context"
	"fmt"
	"time"

	"informerscope/e2e/browser"
)

// atRest is how long each situation is measured, after as long to settle as settling says.
const (
	atRest   = 20 * time.Second
	settling = 8 * time.Second
)

// situations are what a page does for most of its life, with the most of a core that it may take for that.
var situations = []struct {
	what, query string
	budget      float64 // in percent of a core: page, worker and drawing
	begin       string  // a script, "" for none
	isHidden    bool
}{
	{"as opened, 8 changes a second", "&rate=8", 45, "", false},
	{"nothing changes", "&rate=0", 8, "", false},
	{"paused, nothing changes", "&rate=0", 2, "informerscope.pause().then(() => true)", false},
	{"in a hidden tab, 8 changes a second", "&rate=8", 2, "", true},
	{"presenter, paused", "&rate=0&presenter=1", 3, "informerscope.pause().then(() => true)", false},
}

// measureRest measures the processor time of a page by thread, in each situation.
func measureRest(ctx context.Context, b *browser.Browser, url string, t *table) error {
	for _, s := range situations {
		if err := func() error {
			p, _, err := open(ctx, b, url+"&source=sim&seed=7&objects=60"+s.query, "s.synced && s.queue.depth === 0")
			if err != nil {
				return err
			}
			defer p.Close()
			if s.begin != "" {
				if _, err := browser.Eval[bool](ctx, p, s.begin); err != nil {
					return err
				}
			}
			if s.isHidden {
				if err := p.Hide(ctx, true); err != nil {
					return err
				}
			}
			if err := pause(ctx, settling); err != nil {
				return err
			}
			before, err := p.Threads(ctx)
			if err != nil {
				return err
			}
			begin := time.Now()
			if err := pause(ctx, atRest); err != nil {
				return err
			}
			after, err := p.Threads(ctx)
			if err != nil {
				return err
			}
			took := time.Since(begin)
			part := func(from, to time.Duration) float64 { return 100 * float64(to-from) / float64(took) }
			page, worker, drawing := part(before.Page, after.Page), part(before.Worker, after.Worker), part(before.Drawing, after.Drawing)
			all := page + worker + drawing
			t.judge(s.what, fmt.Sprintf("%.1f %% of a core: page %.1f, worker %.1f, drawing %.1f", all, page, worker, drawing),
				fmt.Sprintf("%.0f %%", s.budget), all <= s.budget)
			return nil
		}(); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
	}
	return nil
}
