package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Point is a place in the viewport, in CSS pixels.
type Point struct{ X, Y float64 }

// dragSteps is how many times the pointer moves within a drag: enough for a page that follows it to show several moments on the way.
const dragSteps = 8

// findScript returns the middle of the element that an expression names, if a press there reaches it: it must be drawn, enabled, inside the viewport and
// under nothing else. Otherwise it returns the reason.
const findScript = `(async () => {
	const el = await (%s);
	if (!el) return JSON.stringify({why: "there is no such element"});
	el.scrollIntoView?.({block: "nearest", inline: "nearest"});
	const name = el.getAttribute?.("aria-label") || el.textContent.trim().slice(0, 40);
	const box = el.getBoundingClientRect();
	if (!box.width || !box.height || getComputedStyle(el).visibility !== "visible") return JSON.stringify({why: name + " is not shown"});
	if (el.disabled) return JSON.stringify({why: name + " is disabled"});
	const x = box.left + box.width / 2, y = box.top + box.height / 2;
	const top = document.elementFromPoint(x, y);
	if (!top) return JSON.stringify({why: name + " is outside the window, at " + Math.round(x) + "," + Math.round(y)});
	if (!el.contains(top) && !top.contains(el)) return JSON.stringify({why: name + " lies under " + top.outerHTML.slice(0, 120)});
	return JSON.stringify({x, y});
})()`

// Locate returns the middle of the element that the JavaScript expression
// names. It fails when a press there would not reach the element.
func (p *Page) Locate(ctx context.Context, expression string) (Point, error) {
	text, err := Eval[string](ctx, p, fmt.Sprintf(findScript, expression))
	if err != nil {
		return Point{}, err
	}
	var found struct {
		X, Y float64
		Why  string
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return Point{}, err
	}
	if found.Why != "" {
		return Point{}, fmt.Errorf("%s: %s", abridge(expression), found.Why)
	}
	return Point{found.X, found.Y}, nil
}

// Click presses and releases the left button of the mouse in the middle of the
// element that the JavaScript expression names; see Where.
func (p *Page) Click(ctx context.Context, expression string) error {
	at, err := p.Locate(ctx, expression)
	if err != nil {
		return err
	}
	return p.ClickAt(ctx, at)
}

// ClickAt moves the mouse to a place, and presses and releases its left button.
func (p *Page) ClickAt(ctx context.Context, at Point) error {
	return p.do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y), chromedp.MouseClickXY(at.X, at.Y))
}

// Hover moves the mouse to a place.
func (p *Page) Hover(ctx context.Context, at Point) error {
	return p.do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y))
}

// Drag presses the left button of the mouse at the point from, moves it and releases it at the point to.
func (p *Page) Drag(ctx context.Context, from, to Point) error {
	held := func(m *input.DispatchMouseEventParams) {
		m.Button, m.Buttons, m.ClickCount = input.MouseButtonLeft, 1, 1
	}
	steps := []chromedp.Action[chromedp.Void]{
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, from.X, from.Y),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, from.X, from.Y, held),
	}
	for i := 1; i <= dragSteps; i++ {
		share := float64(i) / dragSteps
		steps = append(steps, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, from.X+(to.X-from.X)*share, from.Y+(to.Y-from.Y)*share, held))
	}
	steps = append(steps, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, to.X, to.Y, func(m *input.DispatchMouseEventParams) {
		m.Button, m.ClickCount = input.MouseButtonLeft, 1
	}))
	return p.do(ctx, steps...)
}

// Drop drags a file from outside the browser over a place and drops it there.
func (p *Page) Drop(ctx context.Context, path string, at Point) error {
	return p.DropAll(ctx, []string{path}, at)
}

// DropAll drags several files at once, as Drop does one.
func (p *Page) DropAll(ctx context.Context, paths []string, at Point) error {
	return p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver,
			input.DispatchDragEventTypeDrop} {
			if _, err := chromedp.Call(run, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: kind, X: at.X, Y: at.Y, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1},
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

var keyNames = map[string]string{
	"Space": " ", "Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
	"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "Backspace": kb.Backspace, "Delete": kb.Delete,
}

// Keys presses keys one after the other. Each is named as KeyboardEvent.key names it, or "Space" for the space bar. "Shift+" may precede a key that
// is not a character.
func (p *Page) Keys(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		var opts []chromedp.KeyOption
		name, shifted := strings.CutPrefix(key, "Shift+")
		if shifted {
			opts = append(opts, chromedp.KeyModifiers(chromedp.ModifierShift))
		}
		text, ok := keyNames[name]
		if !ok {
			if len([]rune(name)) != 1 {
				return errors.New("no key is named " + name)
			}
			text = name
		}
		if err := p.do(ctx, chromedp.KeyEvent(text, opts...)); err != nil {
			return err
		}
	}
	return nil
}
