package browser

import (
	"context"

	cdpbrowser "github.com/chromedp/cdproto/browser"
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
