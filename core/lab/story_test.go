package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/action"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// steadyRuntime is set for the program that runs below, on a runtime without randomness.
const steadyRuntime = "INFORMERSCOPE_STEADY"

// TestTheSameStoryTwice runs TestStoryPlaysAgain on a runtime without randomness, as in the page (see tools/wasmpage/determinism). On virtual time only the
// scheduler's own choices are random, and the test shows that nothing else is.
func TestTheSameStoryTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds the runtime, and make verify runs it")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "bin", "_steady") // always the same, so that the build is cached
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), steadyRuntime+"=1", "GOMAXPROCS=2")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	out := run("run", "./tools/steadygo", dir, "test", "-count=1", "-v", "-run", "^(TestStoryPlaysAgain|TestAFork.*)$", "./core/lab")
	for _, name := range []string{"TestStoryPlaysAgain", "TestAForkThatChangesNothingNeverParts", "TestAForkPartsAtItsAct"} {
		if !strings.Contains(out, "--- PASS: "+name) {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
	if logged := regexp.MustCompile(`(?m)^\s*[IWEF]\d{4} .*`).FindString(out); logged != "" {
		t.Errorf("a story wrote a log, see TestMain: %s", logged)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, "events") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// line returns an event's members, except measured ones.
func line(e *event.Entry) string {
	m := e.Members()
	if e.Kind == event.KindProcessed || e.Kind == event.KindHandled {
		m.Dur = 0
	}
	raw := func(obj any) string {
		if o, ok := obj.(*object.Object); ok && o != nil {
			h := fnv.New32a()
			h.Write(o.Raw())
			return fmt.Sprint(o.GetName(), " ", h.Sum32())
		}
		return fmt.Sprintf("%T", obj)
	}
	var b strings.Builder
	fmt.Fprint(&b, e.Seq, e.Lane, event.KindName(e.Kind), m.Op, m.Verb, m.Flag, m.Listener, m.Req, m.N, m.M, m.Dur, m.Key, m.RV, m.StoreRV,
		m.Text, m.Release, raw(m.Obj), raw(m.Old), m.Err, m.Indexed)
	if m.Options != nil {
		options, _ := json.Marshal(m.Options)
		b.Write(options)
	}
	for _, item := range m.Items {
		fmt.Fprint(&b, item.Key, item.RV, raw(item.Obj), item.Indexed)
	}
	return b.String()
}

// meddle leaves something in force of every kind that outlives an experiment: a link's story must not depend on it.
func meddle(t *testing.T, l *Lab) {
	t.Helper()
	_, err := l.Select(t.Context(), selection.Change{})
	_, delay := l.Informer(0).Fault("delay", FaultArgs{Millis: 70})
	_, marks := l.Informer(0).Fault("noendmark", FaultArgs{})
	_, writes := l.Writes(ptr(false), "")
	if err := errors.Join(err, delay, marks, writes, l.Informer(0).Hold("store", 0), l.Informer(0).AddIndex("by tier", "label:tier")); err != nil {
		t.Fatal(err)
	}
}

// play returns the log of a Lab on virtual time.
func play(t *testing.T, change selection.Change, by func(l *Lab, rec *trace.Recorder)) (lines []string, s action.Story) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec := trace.NewRecorder(trace.RecorderOptions{})
		l := New(Options{Recorder: rec, Idle: synctest.Wait})
		if change.Do != nil {
			meddle(t, l)
		}
		if _, err := l.Select(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		by(l, rec)
		var err error
		head, _ := rec.Head()
		if s, err = l.Story(head + 1); err != nil {
			t.Error(err)
		}
		rec.Read(1, head, func(e *event.Entry) bool {
			lines = append(lines, line(e))
			return true
		})
		l.Close()
		time.Sleep(time.Minute)
	})
	return lines, s
}

// TestStoryPlaysAgain plays stories by hand, and again from a link: the logs are the same to the last event.
func TestStoryPlaysAgain(t *testing.T) {
	if os.Getenv(steadyRuntime) == "" {
		t.Skip("needs a runtime without chance; TestTheSameStoryTwice gives it one")
	}
	// One thread, as in a page, and no garbage collection, which would change the order of goroutines.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	for _, tt := range []struct {
		name, release string
		objects       int
		rate          float64
		by            func(l *Lab)
		resource      string // pods if empty
	}{
		{"quiet", "1.37", 60, 6, func(l *Lab) { time.Sleep(20 * time.Second) }, ""},
		{"busy", "1.37", 240, 300, func(l *Lab) { time.Sleep(2 * time.Second) }, ""},
		{"batches", "1.35", 240, 100, func(l *Lab) { time.Sleep(3 * time.Second) }, ""},
		{"two releases", "1.31,1.37", 120, 40, func(l *Lab) { time.Sleep(5 * time.Second) }, ""},
		{"two releases, faults", "1.33,1.35", 80, 30, func(l *Lab) {
			for i, name := range []string{"cut", "410", "500", "429", "compact", "restart", "refuse", "refuse", "delay", "delay", "nobookmarks",
				"slow", "slow", "slowindex", "slowindex", "forbidden", "forbidden"} {
				time.Sleep(time.Duration(i)*13*time.Millisecond + 1100*time.Microsecond)
				_, err := l.Informer(0).Fault(name, FaultArgs{})
				must(err)
			}
			time.Sleep(8 * time.Second)
		}, ""},
		{"half-open connections", "1.31,1.37", 40, 10, func(l *Lab) {
			for _, wait := range []time.Duration{20 * time.Second, 3 * time.Second, 50 * time.Second} { // it passes again, and is lost
				<-time.After(wait)
				_, err := l.Informer(0).Fault("halfopen", FaultArgs{})
				must(err)
			}
			<-time.After(50 * time.Second)
		}, ""},
		{"a handler that mutates, a crowd that lists", "1.31,1.37", 40, 10, func(l *Lab) {
			_, err := l.Informer(0).Fault("mutate", FaultArgs{})
			must(err)
			_, err = l.Cluster("crowd", ClusterArgs{N: 200})
			must(err)
			time.Sleep(3 * time.Second)
			_, err = l.Cluster("expire", ClusterArgs{})
			must(err)
			time.Sleep(20 * time.Second)
		}, ""},
		{"a controller with bugs", "1.31,1.37", 150, 0, func(l *Lab) {
			for _, name := range []string{"rewrite", "ratelimit"} {
				_, err := l.Informer(0).Fault(name, FaultArgs{})
				must(err)
			}
			_, err := l.Cluster("burst", ClusterArgs{N: 120})
			must(err)
			<-time.After(time.Second)
			for _, children := range ChildNames() {
				_, err = l.Writes(ptr(true), children)
				must(err)
				<-time.After(time.Second)
			}
		}, ""},
		{"hands", "1.37", 80, 20, func(l *Lab) {
			time.Sleep(1234567 * time.Nanosecond)
			must(l.Informer(0).Hold("pop", 0))
			_, err := l.Cluster("burst", ClusterArgs{N: 700})
			must(err)
			time.Sleep(777 * time.Millisecond)
			must(l.Informer(0).Release("pop", 1, 0))
			must(l.Informer(0).Release("pop", 0, 0))
			id, err := l.Informer(0).AddListener(ListenerSpec{Name: "a, b: c/~", PaceMillis: 3.5})
			must(err)
			must(l.Informer(0).Hold("deliver", id))
			_, err = l.Cluster("create", ClusterArgs{Namespace: "shop", Name: "new", Replicas: 7})
			must(err)
			time.Sleep(900 * time.Millisecond)
			must(l.Informer(0).Release("deliver", 0, id))
			must(l.Informer(0).Pace(1, 20))
			must(l.Informer(0).Panic(2))
			must(l.Informer(0).AddIndex("by app", "label:app"))
			_, err = l.Cluster("rate", ClusterArgs{PerSecond: 12.5})
			must(err)
			_, err = l.Cluster("finalizer", ClusterArgs{N: 80})
			must(err)
			_, err = l.Cluster("delete", ClusterArgs{})
			must(err)
			time.Sleep(3 * time.Second)
			_, err = l.Cluster("finalizer", ClusterArgs{})
			must(err)
			must(l.Informer(0).RemoveListener(id))
			time.Sleep(time.Second)
		}, ""},
		// Replace makes tombstones of queued objects that are gone; iterating over a map of more than eight entries would change the order each time.
		{"a relist with Pop held", "1.31", 60, 20, func(l *Lab) {
			_, err := l.Cluster("create", ClusterArgs{Namespace: "shop", Name: "gone", Replicas: 40})
			must(err)
			time.Sleep(3 * time.Second)
			must(l.Informer(0).Hold("pop", 0))
			_, err = l.Cluster("burst", ClusterArgs{N: 300})
			must(err)
			_, err = l.Cluster("deleteDeployment", ClusterArgs{Namespace: "shop", Name: "gone"})
			must(err)
			time.Sleep(4 * time.Second)
			_, err = l.Informer(0).Fault("410", FaultArgs{})
			must(err)
			time.Sleep(4 * time.Second) // it backs off before it lists again
			must(l.Informer(0).Release("pop", 3, 0))
			must(l.Informer(0).Release("pop", 0, 0))
			time.Sleep(2 * time.Second)
		}, ""},
		// Objects in the store that the list lacks become tombstones too, and a resync covers the whole store.
		{"gone while away", "1.31,1.33", 60, 5, func(l *Lab) {
			_, err := l.Cluster("create", ClusterArgs{Namespace: "shop", Name: "gone", Replicas: 40})
			must(err)
			time.Sleep(3 * time.Second)
			_, err = l.Informer(0).Fault("refuse", FaultArgs{})
			must(err)
			_, err = l.Informer(0).Fault("cut", FaultArgs{})
			must(err)
			_, err = l.Cluster("deleteDeployment", ClusterArgs{Namespace: "shop", Name: "gone"})
			must(err)
			time.Sleep(4 * time.Second)
			_, err = l.Informer(0).Fault("compact", FaultArgs{})
			must(err)
			_, err = l.Informer(0).Fault("refuse", FaultArgs{})
			must(err)
			time.Sleep(25 * time.Second) // a resync comes every 30 s
		}, ""},
		{"another release later", "1.37", 60, 20, func(l *Lab) {
			time.Sleep(1500 * time.Millisecond)
			_, err := l.Cluster("scale", ClusterArgs{Namespace: "shop", Name: "cart", Replicas: 9})
			if err != nil {
				_, err = l.Cluster("create", ClusterArgs{Namespace: "shop", Name: "cart2", Replicas: 9})
			}
			must(err)
			_, err = l.Select(context.Background(), selection.Change{Selector: ptr("tier in (backend,frontend)")})
			must(err)
			<-time.After(700 * time.Millisecond)
			must(l.Informer(0).Hold("take", 0))
			_, err = l.Informer(0).Fault("delay", FaultArgs{Millis: 30})
			must(err)
			_, err = l.Informer(0).Fault("cut", FaultArgs{})
			must(err)
			time.Sleep(200 * time.Millisecond)
			_, err = l.Select(context.Background(), selection.Change{Release: ptr("1.31"), Rate: ptr(33.0), Transform: ptr(selection.ManagedFields),
				Selector: ptr("tier!=data")})
			must(err)
			for _, label := range []string{"tier=data", "tier-", "tier=backend"} {
				_, err = l.Cluster("label", ClusterArgs{Label: label})
				must(err)
			}
			time.Sleep(time.Second)
			must(l.Informer(0).Release("take", 0, 0))
			time.Sleep(2 * time.Second)
		}, ""},
		{"a factory", "1.37", 80, 20, func(l *Lab) {
			time.Sleep(1500 * time.Millisecond)
			must(l.Informer(1).Hold("store", 0))
			must(l.Informer(2).Pace(3, 40))
			_, err := l.Cluster("burst", ClusterArgs{N: 200})
			must(err)
			_, err = l.Informer(1).SetUnshared(nil)
			must(err)
			time.Sleep(1200 * time.Millisecond)
			must(l.Informer(1).Release("store", 0, 0))
			must(l.Shutdown())
			time.Sleep(2 * time.Second)
			must(l.Start("", "", ""))
			time.Sleep(2 * time.Second)
		}, "pods,nodes,deployments.apps"},
		{"a program that starts again with another release", "1.37", 80, 20, func(l *Lab) {
			<-time.After(1500 * time.Millisecond)
			must(l.Shutdown())
			<-time.After(time.Second)
			must(l.Start("", "1.31", ""))
			<-time.After(2 * time.Second)
			_, err := l.Cluster("burst", ClusterArgs{N: 200})
			must(err)
			<-time.After(time.Second)
		}, ""},
		{"a factory in two releases, another resource later", "1.31,1.37", 60, 20, func(l *Lab) {
			time.Sleep(1500 * time.Millisecond)
			_, err := l.Informer(0).Fault("cut", FaultArgs{})
			must(err)
			must(l.Informer(2).Hold("pop", 0))
			time.Sleep(1200 * time.Millisecond)
			_, err = l.Select(context.Background(), selection.Change{Resource: ptr("nodes,replicasets.apps,pods")})
			must(err)
			time.Sleep(2 * time.Second)
		}, "pods,deployments.apps"},
		{"a fork, and what is done after it", "1.37", 60, 10, func(l *Lab) {
			<-time.After(3 * time.Second)
			must(l.Informer(0).Pace(2, 5))
			<-time.After(time.Second)
			head, _ := l.rec.Head()
			_, err := l.Fork(context.Background(), head+1, l.rec.Now(), "fault:halfopen:on,delete")
			must(err)
			<-time.After(time.Second)
			_, err = l.Cluster("burst", ClusterArgs{N: 30})
			must(err)
			<-time.After(time.Second)
			must(l.Informer(1).Hold("pop", 0))
			<-time.After(time.Second)
		}, ""},
	} {
		for seed := uint64(1); seed <= 3; seed++ {
			t.Run(fmt.Sprint(tt.name, "/", seed), func(t *testing.T) {
				change := selection.Change{Release: ptr(tt.release), Seed: ptr(seed), Objects: ptr(tt.objects), Rate: ptr(tt.rate)}
				if seed == 3 {
					change.Transform = ptr(selection.MetadataOnly)
				}
				if tt.resource != "" {
					change.Resource = ptr(tt.resource)
				}
				first, s := play(t, change, func(l *Lab, _ *trace.Recorder) { tt.by(l) })
				if len(first) < 1000 {
					t.Errorf("only %d events", len(first))
				}
				if s.From == 0 && s.Release != tt.release {
					t.Errorf("it began with %s, and its story with %q", tt.release, s.Release)
				}
				at := uint64(len(first))
				again := selection.Change{Seed: ptr(s.Seed), Objects: ptr(s.Objects), Rate: ptr(s.Rate), Do: ptr(s.Do), From: s.From, At: at, Fork: s.Fork}
				// A link has the selection too; a later selection overrides it.
				again.Release, again.Resource, again.Transform, again.Selector = ptr(tt.release), change.Resource, change.Transform, ptr(s.Selector)
				if s.From > 0 && tt.resource == "" {
					again.Release, again.Transform = ptr("1.31"), ptr(selection.ManagedFields)
				}
				if s.From > 0 && tt.resource != "" {
					again.Resource = ptr("nodes,replicasets.apps,pods")
				}
				second, s2 := play(t, again, func(l *Lab, rec *trace.Recorder) {
					if !l.Arrive(context.Background()) {
						head, _ := rec.Head()
						t.Errorf("the log came to event %d of %d", head, at)
					}
				})
				if s2.Do != s.Do || s2.From != s.From || s2.Fork != s.Fork {
					t.Errorf("played again the story is %+v, it was %+v", s2, s)
				}
				h := fnv.New64a()
				for i := range first {
					if i >= len(second) || first[i] != second[i] {
						for j := max(0, i-6); j < min(i+4, len(first), len(second)); j++ {
							t.Logf("\n  %s\n  %s", first[j], second[j])
						}
						t.Fatalf("event %d of %d is another one", i+1, len(first))
					}
					h.Write([]byte(first[i]))
				}
				t.Logf("%d events, %d characters of doing, hash %016x", len(first), len(s.Do), h.Sum64())
			})
		}
	}
}
