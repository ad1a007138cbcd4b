package page_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestCrash makes the Go program in the page's worker die in two ways: the browser gives it no time, and the worker throws. The page must report it,
// show nothing as live, refuse calls, and start again on request.
func TestCrash(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for name, kill := range map[string]string{
		"the clock is gone": `performance.now = () => { throw new RangeError("out of memory") }`,
		"the worker throws": `setTimeout(() => { throw new Error("the worker broke") })`,
	} {
		t.Run(name, func(t *testing.T) {
			p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=60&lang=en", 1280, 720)
			harness.Await(t, p, time.Minute, "s.seq > 500")
			if err := p.EvalInWorker(harness.Timeout(t, 30*time.Second), kill); err != nil {
				t.Fatal(err)
			}
			dialog := "stage.find('[role=alertdialog]')"
			if err := p.WaitFor(harness.Timeout(t, 30*time.Second), dialog, "document.body.textContent.slice(0, 300)"); err != nil {
				t.Fatal(err)
			}
			harness.Settle(t, p)
			said := harness.EvalIn[string](t, p, dialog+".textContent")
			if !strings.Contains(said, "out of memory") && !strings.Contains(said, "the worker broke") {
				t.Errorf("the page does not say why: %s", said)
			}
			harness.Shot(t, p, "1-crashed")
			if focus := harness.EvalIn[string](t, p, "stage.name(document.activeElement)"); focus != harness.EvalIn[string](t, p,
				"stage.name("+dialog+".querySelector('button'))") {
				t.Errorf("the focus is on %q, not on what begins again", focus)
			}
			err := harness.EvalIn[string](t, p, "informerscope.state().then(() => '', (err) => err.message)")
			if !strings.Contains(err, "stopped") {
				t.Errorf("a call to what has ended says %q", err)
			}
			// The last content stays, and is marked as such.
			use2 := func(step string) {
				t.Helper()
				if err := p.Click(harness.Timeout(t, 10*time.Second), step); err != nil {
					t.Fatal(err)
				}
			}
			use2("[..." + dialog + ".querySelectorAll('button')].at(-1)")
			harness.Settle(t, p)
			if harness.EvalIn[bool](t, p, "!!"+dialog) {
				t.Error("the dialog does not go away")
			}
			if words := harness.EvalIn[string](t, p, "document.querySelector('.say').textContent"); !strings.Contains(strings.ToLower(words), "stopped") {
				t.Errorf("after the end the caption says %q", words)
			}
			if !harness.EvalIn[bool](t, p, "!!stage.find('button', /^play/) && !stage.find('button', /^pause/)") {
				t.Error("after the end the page still plays")
			}
			harness.Shot(t, p, "2-looked-at")
			p.ForgetProblems()

			if err := p.Reload(harness.Timeout(t, time.Minute)); err != nil {
				t.Fatal(err)
			}
			harness.Await(t, p, time.Minute, "s.queue.synced")
			if err := p.EvalInWorker(harness.Timeout(t, 30*time.Second), kill); err != nil {
				t.Fatal(err)
			}
			if err := p.WaitFor(harness.Timeout(t, 30*time.Second), dialog, "0"); err != nil {
				t.Fatal(err)
			}
			harness.EvalIn[bool](t, p, "globalThis.__before = true")
			if err := p.Keys(harness.Timeout(t, 10*time.Second), "Enter"); err != nil { // the focus is on "start again"
				t.Fatal(err)
			}
			// A wait in a document ends with it, so the test asks for the new one.
			for until := time.Now().Add(time.Minute); ; {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				again, err := browser.Eval[bool](ctx, p, "!globalThis.__before && !!globalThis.informerscope && informerscope.ready.then(() => true)")
				cancel()
				if again {
					break
				}
				if time.Now().After(until) {
					t.Fatalf("the page did not begin again: %v", err)
				}
			}
			harness.Await(t, p, time.Minute, "s.queue.synced && s.live")
			if harness.EvalIn[bool](t, p, "!!"+dialog) {
				t.Error("the new page says that it crashed")
			}
		})
	}
}
