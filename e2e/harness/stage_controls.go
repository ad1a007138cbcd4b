package harness

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// Control is one control of the page, used in one way: by the mouse or by the keyboard. The steps are done in order; then state() must satisfy want.
type Control struct {
	// name has the control, and the way.
	Name string
	// given is a call of the automation API that gives the control something to do; "" if none is needed.
	Given string
	// before must hold before the steps begin; an expression of s.
	Before string
	// do is what a person does: "click <what>", "press <a point>", "focus <what>", "keys <k> <k>", "type <text>", "wait <expression of the page>".
	Do []string
	// want is what must hold then: an expression of s, the state after, and b, the state before.
	Want string
	// page is what the page itself must show then, an expression; "" when state() suffices.
	Page string
}

// AwaitState waits until want, an expression of s and of the kept state b, holds for state(). The error of a wait that times out has a summary of the
// state.
func AwaitState(t *testing.T, p *browser.Page, d time.Duration, want string) {
	t.Helper()
	trouble, err := browser.Eval[string](Timeout(t, d+20*time.Second), p, fmt.Sprintf("stage.comes((s, b) => %s, %d)", want, d.Milliseconds()))
	if err == nil && trouble != "" {
		err = fmt.Errorf("%s", trouble)
	}
	if err != nil {
		t.Fatalf("want %s: %v", want, err)
	}
}

// Use does the steps of one control and checks the result.
func Use(t *testing.T, p *browser.Page, c Control) {
	t.Helper()
	if c.Given != "" {
		Call(t, p, "%s", c.Given)
	}
	if c.Before != "" {
		AwaitState(t, p, 10*time.Second, c.Before)
	}
	Settle(t, p)
	EvalIn[bool](t, p, "stage.keep()")
	for _, step := range c.Do {
		verb, what, _ := strings.Cut(step, " ")
		var err error
		ctx := Timeout(t, 10*time.Second)
		switch verb {
		case "click":
			err = p.Click(ctx, what)
		case "press":
			err = p.ClickAt(ctx, EvalJSON[browser.Point](t, p, "JSON.stringify(%s)", what))
		case "focus":
			var found bool
			if found, err = browser.Eval[bool](ctx, p,
				fmt.Sprintf("(async () => { const el = await (%s); el?.focus(); return !!el && document.activeElement === el; })()", what)); err == nil && !found {
				err = fmt.Errorf("%s cannot be focused", what)
			}
		case "keys":
			err = p.Keys(ctx, strings.Fields(what)...)
		case "type":
			err = p.Press(ctx, what)
		case "wait":
			err = p.WaitFor(ctx, what, "document.activeElement?.outerHTML.slice(0, 200)")
		default:
			t.Fatalf("no step is named %s", verb)
		}
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	if c.Want != "" {
		AwaitState(t, p, 10*time.Second, c.Want)
	}
	if c.Page != "" {
		if err := p.WaitFor(Timeout(t, 5*time.Second), c.Page, "document.activeElement?.outerHTML.slice(0, 200)"); err != nil {
			t.Fatal(err)
		}
	}
}
