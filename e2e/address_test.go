package e2e

import (
	"fmt"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// TestAddressAndMoment checks the moment in the page's address, and what the page does with it.
func TestAddressAndMoment(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	page := b.OpenForTest(t, srv.url+"&source=sim&seed=7&objects=40&rate=20", 1280, 720)
	s := await(t, page, 2*time.Minute, "s.queue.synced && s.seq > 300")
	hash := func(t *testing.T, condition string) {
		t.Helper()
		waitFor(t, page, `((p) => `+condition+`)(new URLSearchParams(location.hash.slice(1)))`)
	}

	t.Run("another theme is not another moment", func(t *testing.T) {
		call(t, page, "pause()")
		call(t, page, "seek(%d)", s.Seq-20)
		hash(t, fmt.Sprintf(`p.get("at") === "%d"`, s.Seq-20))
		// The address still names the old moment when its change event arrives; a view that has moved on meanwhile must stay where it is.
		evalIn[bool](t, page, `(() => { const p = new URLSearchParams(location.hash.slice(1)); p.set("theme", "light"); location.hash = p;
			informerscope.live(); return true; })()`)
		waitFor(t, page, `document.documentElement.classList.contains("is-light")`)
		hash(t, `!p.has("at") && !p.has("do") && p.get("theme") === "light"`)
		await(t, page, time.Minute, "s.live && s.seq > %d", s.Seq+200)
	})
	t.Run("what was left is not written", func(t *testing.T) {
		evalIn[bool](t, page, `(async () => { await informerscope.pause(); await informerscope.live(); return true; })()`)
		now := await(t, page, time.Minute, "s.live")
		await(t, page, time.Minute, "s.live && s.seq > %d", now.Seq+100)
		hash(t, `!p.has("at") && !p.has("do")`)
	})
	t.Run("a moment that no link can tell", func(t *testing.T) {
		early := await(t, page, time.Minute, "s.live")
		evalIn[bool](t, page, `(async () => { for (let i = 0; i < 90; i++) { await informerscope.hold("take"); await informerscope.release("take", 0); } return true; })()`)
		late := await(t, page, time.Minute, "s.live && s.seq > %d", early.Seq+200)
		call(t, page, "pause()")
		call(t, page, "seek(%d)", early.Seq)
		hash(t, fmt.Sprintf(`p.get("at") === "%d"`, early.Seq))
		// The story to here is too long for a link: an address with the moment alone would show an unrelated one.
		call(t, page, "seek(%d)", late.Seq-5)
		hash(t, `!p.has("at") && !p.has("do")`)
	})
	page.ExpectClean(t)
}
