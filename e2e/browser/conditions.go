package browser

import (
	"context"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Hide minimises the page's window, or restores it if hidden is false, as a person does to a tab that continues in the background.
func (p *Page) Hide(ctx context.Context, hidden bool) error {
	return p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		w, err := chromedp.Call(run, cdpbrowser.GetWindowForTarget, cdpbrowser.GetWindowForTargetParams{})
		if err != nil {
			return err
		}
		state := cdpbrowser.WindowStateNormal
		if hidden {
			state = cdpbrowser.WindowStateMinimized
		}
		_, err = chromedp.Call(run, cdpbrowser.SetWindowBounds, cdpbrowser.SetWindowBoundsParams{WindowID: w.WindowID,
			Bounds: &cdpbrowser.Bounds{WindowState: state}})
		return err
	})
}

// SlowDown makes the processor of the page's own thread so many times slower, 1 for not.
func (p *Page) SlowDown(ctx context.Context, times float64) error {
	return p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		_, err := chromedp.Call(run, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: times})
		return err
	})
}
