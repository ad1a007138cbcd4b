package view_test

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// audit returns the event of a write to a pod.
func audit(rv string, status int, mark bool, record fold.Audit) event.Event {
	text, err := json.Marshal(record)
	if err != nil { // strings only
		panic(err)
	}
	return event.Audit{Key: "default/web", RV: rv, Status: status, Mark: mark, Write: string(text)}.Event()
}

// TestAVersionHasItsAuthor: the author of a version is who made just that version, whether the log has the write before the version or after it.
func TestAVersionHasItsAuthor(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	author := func() string {
		t.Helper()
		v.Frame()
		o, err := v.Object(0, "default/web")
		if err != nil {
			t.Fatal(err)
		}
		if o.Author == nil {
			return ""
		}
		return o.Author.Author
	}
	rec.Emit(0, audit("5", 201, false, fold.Audit{Author: "kubectl", User: "jane", Verb: "create", Resource: "pods"}))
	rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: "default/web", RV: "5", Obj: pod("5")}.Event())
	if by := author(); by != "kubectl" {
		t.Errorf("version 5 is by %q", by)
	}
	rec.Emit(0, event.Stored{Kind: event.KindStoreUpdated, Key: "default/web", RV: "6", Obj: pod("6"), Old: pod("5")}.Event())
	if by := author(); by != "" {
		t.Errorf("nobody is known to have made version 6; it is by %q", by)
	}
	stored, _ := rec.Head()
	rec.Emit(0, audit("7", 200, false, fold.Audit{Author: "kubelet", Verb: "patch", Resource: "pods"}))
	if by := author(); by != "" {
		t.Errorf("version 6 is by %q, who made version 7", by)
	}
	rec.Emit(0, audit("6", 200, false, fold.Audit{Author: "kube-scheduler", Verb: "create", Resource: "pods", Subresource: "binding"}))
	if by := author(); by != "kube-scheduler" {
		t.Errorf("version 6 is by %q", by)
	}
	v.Pause()
	v.Seek(stored)
	if by := author(); by != "kube-scheduler" {
		t.Errorf("before its write is in the log, version 6 is by %q", by)
	}
	rec.Emit(0, event.Audit{Key: "default/web", RV: "6", Write: "{"}.Event()) // of a damaged log
	if by := author(); by != "kube-scheduler" {
		t.Errorf("version 6 is by %q", by)
	}
}

// pod returns the JSON of a version.
func pod(rv string) any { return raw(`{"metadata":{"name":"web","resourceVersion":"` + rv + `"}}`) }

type raw string

func (r raw) Raw() []byte { return []byte(r) }

// TestAPersonsWriteIsSaid: a person's write has a sentence for four seconds, and a mark. A component's has neither.
func TestAPersonsWriteIsSaid(t *testing.T) {
	scale := fold.Audit{Author: "kubectl", User: "jane", Verb: "patch", Resource: "deployments.apps", Subresource: "scale"}
	scaled := scale
	scaled.Words = "scaled default/web from 3 to 6"
	for _, c := range []struct {
		name   string
		status int
		mark   bool
		write  fold.Audit
		want   facts.Sentence
		words  string
		code   int
	}{
		{"with words", 200, true, scaled, facts.Sentence{ID: "person", Name: "kubectl", Op: "scaled default/web from 3 to 6"},
			"kubectl scaled default/web from 3 to 6", 0},
		{"without words", 200, true, scale, facts.Sentence{ID: "personRequest", Name: "kubectl", Op: "patch deployments.apps/scale default/web"},
			"kubectl: patch deployments.apps/scale default/web", 0},
		{"refused", 409, true, scaled, facts.Sentence{ID: "personRefused", Name: "kubectl", Op: "patch deployments.apps/scale default/web", N: 409},
			"kubectl: patch deployments.apps/scale default/web", 409},
		{"from before the log", 200, false, scaled, facts.Sentence{}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTale(t, "1.37")
			x.round("first list")
			x.ask(event.VerbList)
			x.list(1)
			x.syncInformer()
			x.pass(10 * time.Second)
			x.emit(audit("7", c.status, c.mark, c.write))
			said := x.v.State().Facts.Sentence
			if said != c.want {
				t.Errorf("it says %+v, want %+v", said, c.want)
			}
			var frame struct {
				Timeline struct {
					Marks []struct {
						Kind, Author, Text string
						Code               int
					}
				}
			}
			if err := json.Unmarshal(x.v.Frame(), &frame); err != nil {
				t.Fatal(err)
			}
			found := false
			for _, m := range frame.Timeline.Marks {
				if m.Kind == "write" {
					found = true
					if m.Author != "kubectl" || m.Text != c.words || m.Code != c.code {
						t.Errorf("the mark is %+v", m)
					}
				}
			}
			if found != c.mark {
				t.Errorf("the timeline has a mark: %v", found)
			}
			x.pass(4100 * time.Millisecond)
			if got := x.v.State().Facts.Sentence; got.ID != "" {
				t.Error("it says so for too long")
			}
		})
	}
}
