package page_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// named are the terms and marks on the stage that have an explanation, by how their text begins in both languages, and a part of it.
var named = []struct{ name, en, zh string }{
	{"rv", "Every write there gets the next one", "每次写入都得到下一个"}, {"rv", "the next watch resumes from here", "下一个 watch 从这里继续"},
	{"rv", "that of the newest change in it", "其中最新变更的版本"}, {"seats", "a list or a resync fills it", "list 或 resync 会填上它"},
	{"pale text", "these have left the queue already", "它们已经离开队列"}, {"initialPopulation", "at zero the queue has synced", "到零队列即已同步"},
	{"lock", "nothing can be queued", "锁住时无法入队"}, {"synced", "the first list is in the store", "首次 list 已全部进入本地缓存"},
	{"addCh", "as soon as it is accepted", "被接收后立即继续"}, {"ring", "doubles when it is full and never shrinks", "满了就翻倍，从不缩小"},
	{"nextCh", "one notification at a time", "每次从这里取一个通知"}, {"queue of keys", "a handler that calls queue.Add fills it", "调用 queue.Add"},
	{"workers", "it waits in Get, until a key is queued", "直到有 key 入队"}, {"dirty", "no key is to be reconciled again", "没有 key 需要再次调谐"},
}

// TestEveryNamedThingHasItsWord moves the pointer over each mark and each term, and reaches it with the keyboard. Its explanation is shown, in both
// languages, and nothing else covers it.
func TestEveryNamedThingHasItsWord(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenFake(t, browser.StartForTest(t), srv, "&source=sim&namespace=&lang=en", 1280, 720)
	harness.EvalIn[bool](t, p, `fake.show({queue: {lastBatch: [{seq: 3, op: "Updated", key: "default/a", rv: "5355"}], lastBatchSize: 1}}, {wait: 30})`)
	for _, lang := range []string{"en", "zh"} {
		if lang == "zh" {
			if err := p.Keys(harness.Timeout(t, 10*time.Second), "l"); err != nil {
				t.Fatal(err)
			}
			harness.EvalIn[bool](t, p, "fake.show({}, {wait: 40})")
		}
		if err := p.Keys(harness.Timeout(t, 10*time.Second), "Tab"); err != nil { // a focus after this key counts as one by keyboard
			t.Fatal(err)
		}
		for _, thing := range named {
			words := thing.en
			if lang == "zh" {
				words = thing.zh
			}
			harness.WaitFor(t, p, "[...document.querySelectorAll('.prow:not([hidden])')].some((b) => b.getAttribute('aria-label')?.includes("+harness.Quote(words)+"))")
			said := harness.EvalIn[[]string](t, p, `(() => {
				const b = [...document.querySelectorAll('.prow:not([hidden])')].find((b) => b.getAttribute('aria-label').includes(`+harness.Quote(words)+`));
				const box = b.getBoundingClientRect();
				const over = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
				const tip = () => [...document.querySelectorAll('.tipc')].filter((e) => e.checkVisibility()).map((e) => e.textContent).join('');
				over.dispatchEvent(new PointerEvent('pointerenter')); // as when it comes under a pointer that rests
				const entered = tip();
				over.dispatchEvent(new PointerEvent('pointermove'));
				const hovered = tip();
				over.dispatchEvent(new PointerEvent('pointerleave'));
				const left = tip();
				b.focus();
				const focused = tip();
				b.blur();
				return [hovered, left, focused, entered];
			})()`)
			if !strings.Contains(said[0], words) || said[1] != "" || !strings.Contains(said[2], words) || said[3] != "" {
				t.Errorf("%s, %s: hovered it says %q, left %q, focused %q, entered %q", lang, thing.name, said[0], said[1], said[2], said[3])
			}
		}
		// A hold names its stage and its key.
		pins := harness.EvalIn[[]string](t, p, `[...document.querySelectorAll('.pin')].filter((b) => b.checkVisibility()).map((b) => {
			b.focus();
			const tip = document.querySelector('.tip:not([hidden])')?.textContent ?? '';
			b.blur();
			return tip;
		})`)
		for i, tip := range pins {
			if !strings.Contains(tip, "H ") {
				t.Errorf("%s: pin %d says %q", lang, i, tip)
			}
		}
		if len(pins) < 4 {
			t.Errorf("%s: only %d pins", lang, len(pins))
		}
	}
	p.ExpectClean(t)
}
