package page_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// recordWrites returns a recording of a few pods in which a component made the version of one of them, a person scaled a deployment, and another write of that
// person was refused. It has the pod's key and version, and the seq of each of the person's writes.
func recordWrites(t *testing.T) (recording, key, version string, scaled, refused uint64) {
	t.Helper()
	now := clocktesting.NewFakeClock(time.Unix(1, 0))
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: now})
	l := lab.New(lab.Options{Recorder: rec})
	defer l.Close()
	source, objects, rate := "sim", 6, 0.0
	if _, err := l.Select(t.Context(), selection.Change{Source: &source, Objects: &objects, Rate: &rate}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for key == "" {
		changed := rec.Changed()
		head, _ := rec.Head()
		at := rec.FoldAt(head)
		if s := at.State(); s.Synced && s.Reflector.Phase == "watching" && s.Indexer.Count >= objects {
			at.Objects(0).Range(func(c *fold.Cell) bool {
				key, version = c.Key, c.RV
				return false
			})
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("the lab has not synced")
		}
	}
	add := func(a event.Audit) uint64 {
		rec.Emit(0, a.Event())
		seq, _ := rec.Head()
		return seq
	}
	add(event.Audit{Key: key, RV: version, Status: 200, Write: `{"author":"kubelet","verb":"patch","resource":"pods","subresource":"status"}`})
	const scale = `{"author":"kubectl","user":"jane","verb":"patch","resource":"deployments.apps","subresource":"scale","words":"scaled default/web from 3 to 6"}`
	now.Step(5 * time.Second)
	scaled = add(event.Audit{Key: "default/web", RV: "900", Status: 200, Mark: true, Write: scale})
	now.Step(5 * time.Second) // the words of the two marks have room
	refused = add(event.Audit{Key: "default/web", Status: 409, Mark: true, Write: scale})
	var file bytes.Buffer
	if _, err := l.Record(&file, false); err != nil {
		t.Fatal(err)
	}
	return file.String(), key, version, scaled, refused
}

// TestAuthorsOfARecording opens a recording at a person's writes, in both languages and in a dark and a light theme. The caption and the timeline name the
// person's program, and the inspector the author of a version.
func TestAuthorsOfARecording(t *testing.T) {
	t.Parallel()
	recording, key, version, scaled, refused := recordWrites(t)
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for _, c := range []struct{ theme, lang, scaled, refused, author string }{
		{"dark", "en", "kubectl just scaled default/web from 3 to 6.", "kubectl was refused: patch deployments.apps/scale default/web was answered 409.",
			"version %s, written by kubelet: patch pods/status"},
		{"light", "zh", "kubectl：scaled default/web from 3 to 6。", "kubectl 被拒绝：patch deployments.apps/scale default/web 的回答是 409。",
			"版本 %s，由 kubelet 写入：patch pods/status"},
	} {
		t.Run(c.theme+" "+c.lang, func(t *testing.T) {
			p := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
			for _, script := range []string{harness.CatchFiles, harness.StageTools(t)} {
				if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), script); err != nil {
					t.Fatal(err)
				}
			}
			link := fmt.Sprintf("%s&source=sim&seed=7&objects=5&rate=0&theme=%s&lang=%s", srv.URL, c.theme, c.lang)
			if err := p.Navigate(harness.Timeout(t, time.Minute), link); err != nil {
				t.Fatal(err)
			}
			harness.Await(t, p, time.Minute, "s.queue.synced")
			const said = `document.querySelector(".cap .say").textContent`
			for i, moment := range []struct {
				seq  uint64
				want string
			}{{scaled, c.scaled}, {refused, c.refused}} {
				harness.EvalIn[bool](t, p, `(__files.drop("authors%d-at%d.jsonl", %s), true)`, i, moment.seq, harness.Quote(recording))
				harness.Await(t, p, time.Minute, "s.source.kind === 'file' && s.view.mode === 'paused' && s.seq === %d", moment.seq)
				harness.WaitUntil(t, p, said+" === "+harness.Quote(moment.want))
			}
			for _, mark := range []string{"kubectl scaled default/web from 3 to 6", "kubectl: patch deployments.apps/scale default/web"} {
				harness.WaitUntil(t, p, `[...document.querySelectorAll(".tracks-log title")].some((x) => x.textContent === `+harness.Quote(mark)+`)`)
			}
			harness.Call(t, p, "selectObject(%q)", key)
			want := fmt.Sprintf(c.author, strings.TrimSpace(version))
			harness.WaitUntil(t, p, `document.querySelector(".drawer .author").textContent === `+harness.Quote(want))
			harness.Settle(t, p)
			harness.Shot(t, p, "authors-"+c.theme)
			p.ExpectClean(t)
		})
	}
}
