package draft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/page/story"
	"informerscope/core/page/view"
)

// proposal is a sentence in both languages, with its claim.
type proposal struct{ en, zh, claim string }

// names has the names of steps, by kind, and stations the stations in focus.
var (
	names = map[string][2]string{"note": {"a note", "备注"}, "panic": {"a handler panics", "handler panic"}, "relist": {"a relist", "重新 list"},
		"trouble": {"trouble", "异常"}, "error": {"an error", "出错"}, "fault": {"a fault", "故障"}, "hold": {"a stage is held", "拦住一个阶段"},
		"backoff": {"backoff", "退避"}, "sync": {"synced", "已同步"}, "list": {"the first list", "首次 list"}, "resync": {"a resync", "resync"},
		"ring": {"a ring is full", "环形缓冲积压"}, "stale": {"late into the store", "迟到的对象"}, "handler": {"a slow handler", "慢 handler"},
		"end": {"the end", "结尾"}}
	stations = map[string]string{"note": "indexer", "panic": "listeners", "relist": "api, reflector", "trouble": "api", "error": "api, reflector",
		"fault": "api, reflector", "hold": "queue", "backoff": "reflector", "sync": "indexer", "list": "api, reflector", "resync": "queue, listeners",
		"ring": "listeners", "stale": "queue, indexer", "handler": "listeners", "end": "indexer"}
)

// propose returns sentences for a moment, the most specific first. The last one is always true.
func propose(m moment, s *fold.State) []proposal {
	laneState := laneOf(s, m.lane)
	at := ""
	if int(m.lane) < len(s.Lanes) {
		at = fmt.Sprintf("lanes[%d].", m.lane)
	}
	always := proposal{fmt.Sprintf("The store holds {%sindexer.count} objects, and {%squeue.depth} wait in the queue.", at, at),
		fmt.Sprintf("本地缓存里有 {%sindexer.count} 个对象，队列里等着 {%squeue.depth} 个。", at, at),
		fmt.Sprintf("%sindexer.count == %d and %squeue.depth == %d", at, laneState.Indexer.Count, at, laneState.Queue.Depth)}
	text := clean(m.mark.Text)
	said := strconv.Quote(m.mark.Text)
	var out []proposal
	switch m.kind {
	case "note":
		always.en, always.zh = text+" "+always.en, text+" "+always.zh
	case "panic":
		if li, name := listener(laneState, at, m.event.Listener()); li != nil {
			out = append(out, proposal{fmt.Sprintf("Panics of the handler %s so far: {%s.panics}.", clean(li.Name), name),
				fmt.Sprintf("handler %s 至此 panic 了 {%s.panics} 次。", clean(li.Name), name), fmt.Sprintf("%s.panics == %d", name, li.Panics)})
		}
	case "relist":
		relists := fmt.Sprintf("%sreflector.relists == %d", at, laneState.Reflector.Relists)
		out = append(out, proposal{fmt.Sprintf("The Reflector relists: %s. Relists so far: {%sreflector.relists}.", text, at),
			fmt.Sprintf("Reflector 重新 list：%s。至此 relist 了 {%sreflector.relists} 次。", text, at), relists + fmt.Sprintf(" and %sreflector.why == %s", at, said)},
			proposal{fmt.Sprintf("The Reflector relists. Relists so far: {%sreflector.relists}.", at),
				fmt.Sprintf("Reflector 重新 list。至此 relist 了 {%sreflector.relists} 次。", at), relists})
	case "trouble":
		if m.mark.On {
			out = append(out, proposal{"The source reports: " + text, "数据源报告：" + text, "source.trouble != \"\""})
		}
	case "error":
		out = append(out, proposal{"The Reflector’s last error: " + text, "Reflector 最近的错误：" + text, fmt.Sprintf("%sreflector.lastError == %s", at, said)})
		if m.mark.Code > 0 {
			out = append(out, proposal{fmt.Sprintf("A request was answered with %d.", m.mark.Code), fmt.Sprintf("一个请求得到的回答是 %d。", m.mark.Code),
				fmt.Sprintf("any(%sapi.requests, status == %d)", at, m.mark.Code)})
		}
	case "fault":
		out = append(out, proposal{fmt.Sprintf("The fault %s is on.", text), fmt.Sprintf("故障 %s 已打开。", text), fmt.Sprintf("any(faults, name == %s and on)", said)})
		if !m.mark.On {
			out[0] = proposal{fmt.Sprintf("The fault %s is off.", text), fmt.Sprintf("故障 %s 已关闭。", text), fmt.Sprintf("not any(faults, name == %s and on)", said)}
		}
	case "hold":
		out = append(out, proposal{fmt.Sprintf("The stage “%s” is held.", text), fmt.Sprintf("阶段“%s”被拦住。", text), fmt.Sprintf("any(%sholds, stage == %s)", at, said)})
		if !m.mark.On {
			out[0] = proposal{fmt.Sprintf("The stage “%s” goes on.", text), fmt.Sprintf("阶段“%s”继续。", text), fmt.Sprintf("not any(%sholds, stage == %s)", at, said)}
		}
	case "backoff":
		out = append(out, proposal{"The Reflector waits before it tries again.", "Reflector 等一会儿再重试。", fmt.Sprintf("%sreflector.phase == \"backoff\"", at)})
	case "sync":
		out = append(out, proposal{fmt.Sprintf("HasSynced answers true, and the store holds {%sindexer.count} objects.", at),
			fmt.Sprintf("HasSynced 返回 true，本地缓存里有 {%sindexer.count} 个对象。", at), fmt.Sprintf("%ssynced and %sindexer.count == %d", at, at, laneState.Indexer.Count)})
	case "list":
		out = append(out, proposal{"The first round of ListAndWatch begins: nothing has been listed.", "第一轮 ListAndWatch 开始：还没有 list 过。",
			fmt.Sprintf("%sreflector.lists == 0 and %sindexer.count == 0", at, at)})
	case "ring":
		if li, name := listener(laneState, at, m.reason.Listener); li != nil {
			out = append(out, proposal{fmt.Sprintf("The ring of %s holds {%s.ring} notifications, and has room for {%s.capacity}.", clean(li.Name), name, name),
				fmt.Sprintf("%s 的环形缓冲里有 {%s.ring} 个通知，容量 {%s.capacity}。", clean(li.Name), name, name),
				fmt.Sprintf("%s.ring == %d and %s.capacity == %d", name, li.Ring, name, li.Capacity)})
		}
	case "handler":
		if li, name := listener(laneState, at, m.reason.Listener); li != nil {
			out = append(out, proposal{
				fmt.Sprintf("The handler %s has returned {%s.handled} times, and {%s.pending} notifications wait for it.", clean(li.Name), name, name),
				fmt.Sprintf("handler %s 已返回 {%s.handled} 次，还有 {%s.pending} 个通知在等。", clean(li.Name), name, name),
				fmt.Sprintf("%s.handled == %d and %s.pending == %d", name, li.Handled, name, li.Pending)})
		}
	}
	return append(out, always)
}

// listener returns a listener of an informer, and its path in a condition.
func listener(s *fold.State, at string, id int32) (*fold.Listener, string) {
	for i := range s.Listeners {
		if l := &s.Listeners[i]; l.ID == id {
			return l, fmt.Sprintf("%slisteners[%d]", at, i)
		}
	}
	return nil, ""
}

// clean returns a text for a sentence: on one line, not too long, and without braces, which a sentence uses for expressions.
func clean(text string) string {
	text = strings.Join(strings.Fields(strings.NewReplacer("{", "(", "}", ")").Replace(strings.ToValidUTF8(text, "?"))), " ")
	const most = 120
	if len(text) > most {
		cut := most
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// longestClaim is the longest proposed claim in bytes; a file may have longer ones.
const longestClaim = 300

// isTrue reports whether a claim is true for a State. A claim that cannot be parsed, or that is too long, is not.
func isTrue(claim string, s *view.State) bool {
	c, err := story.ParseCondition(claim)
	return err == nil && len(claim) <= longestClaim && c.Holds(s, s)
}

// write writes the story's file.
func write(d *Draft, recording string, h tracefile.Header, long time.Duration, rec *trace.Recorder, moments []moment) ([]byte, error) {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	what := h.Selection.Resource
	for i, t := range h.Selection.Resources {
		if what += ", " + t.Resource; i == 0 {
			what = t.Resource
		}
	}
	what = clean(what)
	line("# A story on the recording %s, proposed by “informerscope story from”. What each step says is true at its moment; say what it means.", recording)
	line("# Keep the recording beside this file: drop both on the page, or serve both by --stories. docs/stories.md says what can stand here.")
	for _, w := range d.Worst {
		line("# %s", clean(w))
	}
	line("title: {en: %s, zh: %s} # fill in", quote("Recorded: "+d.ID), quote("录制："+d.ID))
	line("lesson: {en: %s, zh: %s} # fill in: what is learnt of it", quote(fmt.Sprintf("%d moments of %.0f s of %s", len(moments), long.Seconds(), what)),
		quote(fmt.Sprintf("%s 的 %.0f 秒里的 %d 个时刻", what, long.Seconds(), len(moments))))
	line("group: breaks # start, store, missed, handlers, workers, sync, breaks, order or memory")
	line("recording: %s", recording)
	line("steps:")
	for _, m := range moments {
		s := view.StateOf(rec.FoldAt(m.seq))
		var chosen proposal
		for _, chosen = range propose(m, &s.State) {
			if isTrue(chosen.claim, s) {
				break
			}
		}
		if !isTrue(chosen.claim, s) {
			return nil, fmt.Errorf("nothing that is true can be proposed at event %d: %s", m.seq, chosen.claim)
		}
		about := fmt.Sprintf("%.1f s: %s", m.time.Seconds(), m.kind)
		switch {
		case m.reason.Took > 0:
			about += fmt.Sprintf(", %s, %.1f s", clean(m.event.Key()), m.reason.Took.Seconds())
		case m.mark.Text != "":
			about += ", " + clean(m.mark.Text)
		}
		name := names[m.kind]
		line("  - name: {en: %s, zh: %s}", quote(name[0]), quote(name[1]))
		line("    at: %d # %s", m.seq, about)
		line("    look: [%s]", stations[m.kind])
		line("    caption: # fill in: what the audience is to see here")
		line("      en: %s", quote(chosen.en))
		line("      zh: %s", quote(chosen.zh))
		line("      claim: %s", quote(chosen.claim))
	}
	return b.Bytes(), nil
}

// quote returns a text as a quoted YAML string.
func quote(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // cannot fail for a text
	return strings.TrimSpace(b.String())
}
