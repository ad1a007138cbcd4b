package page_test

import (
	"fmt"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestAddressAndMoment checks the moment in the page's address, and what the page does with it.
func TestAddressAndMoment(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	page := b.OpenForTest(t, srv.URL+"&source=sim&seed=7&objects=40&rate=20", 1280, 720)
	s := harness.Await(t, page, 2*time.Minute, "s.queue.synced && s.seq > 300")
	hash := func(t *testing.T, condition string) {
		t.Helper()
		harness.WaitFor(t, page, `((p) => `+condition+`)(new URLSearchParams(location.hash.slice(1)))`)
	}

	t.Run("another theme is not another moment", func(t *testing.T) {
		harness.Pause(t, page)
		harness.Call(t, page, "seek(%d)", s.Seq-20)
		hash(t, fmt.Sprintf(`p.get("at") === "%d"`, s.Seq-20))
		// The address still names the old moment when its change event arrives; a view that has moved on meanwhile must stay where it is.
		harness.EvalIn[bool](t, page, `(() => { const p = new URLSearchParams(location.hash.slice(1)); p.set("theme", "light"); location.hash = p;
			informerscope.live(); return true; })()`)
		harness.WaitFor(t, page, `document.documentElement.classList.contains("is-light")`)
		hash(t, `!p.has("at") && !p.has("do") && p.get("theme") === "light"`)
		harness.Await(t, page, time.Minute, "s.live && s.seq > %d", s.Seq+200)
	})
	t.Run("what was left is not written", func(t *testing.T) {
		harness.EvalIn[bool](t, page, `(async () => { await informerscope.pause(); await informerscope.live(); return true; })()`)
		now := harness.Await(t, page, time.Minute, "s.live")
		harness.Await(t, page, time.Minute, "s.live && s.seq > %d", now.Seq+100)
		hash(t, `!p.has("at") && !p.has("do")`)
	})
	t.Run("a moment that no link can tell", func(t *testing.T) {
		early := harness.Await(t, page, time.Minute, "s.live")
		harness.EvalIn[bool](t, page, `(async () => { for (let i = 0; i < 90; i++) { await informerscope.hold("take"); await informerscope.release("take", 0); } return true; })()`)
		late := harness.Await(t, page, time.Minute, "s.live && s.seq > %d", early.Seq+200)
		harness.Pause(t, page)
		harness.Call(t, page, "seek(%d)", early.Seq)
		hash(t, fmt.Sprintf(`p.get("at") === "%d"`, early.Seq))
		// The story to here is too long for a link: an address with the moment alone would show an unrelated one.
		harness.Call(t, page, "seek(%d)", late.Seq-5)
		hash(t, `!p.has("at") && !p.has("do")`)
	})
	page.ExpectClean(t)
}
