package lab

import (
	"bytes"
	"context"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
)

// forkLab runs a Lab on virtual time, lets it do something, and gives it to by.
func forkLab(t *testing.T, change selection.Change, by func(l *Lab, rec *trace.Recorder)) {
	t.Helper()
	if os.Getenv(steadyRuntime) == "" {
		t.Skip("needs a runtime without chance; TestTheSameStoryTwice gives it one")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	synctest.Test(t, func(t *testing.T) {
		l, rec := openVirtual(t)
		if change.Objects == nil {
			change.Objects = ptr(30)
		}
		if _, err := l.Select(context.Background(), change); err != nil {
			t.Fatal(err)
		}
		<-time.After(5 * time.Second)
		by(l, rec)
	})
}

// openVirtual returns a Lab on virtual time, and its log.
func openVirtual(t *testing.T) (*Lab, *trace.Recorder) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := New(Options{Recorder: rec, Idle: synctest.Wait})
	t.Cleanup(func() {
		l.Close()
		<-time.After(2 * time.Minute)
	})
	return l, rec
}

// TestForksThatAreRefused: what cannot fork gets an error that says why, and the experiment goes on.
func TestForksThatAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := openVirtual(t)
		fork := func(do string) error {
			head, _ := rec.Head()
			_, err := l.Fork(context.Background(), head+1, rec.Now(), do)
			return err
		}
		choose := func(change selection.Change) error {
			_, err := l.Select(context.Background(), change)
			return err
		}
		refuses := func(err error, want string) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
		refuses(fork("fault:cut"), "only a simulated cluster")
		if err := choose(selection.Change{Objects: ptr(20), Release: ptr("1.31,1.37")}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		refuses(fork("fault:cut"), "one resource in one release")
		if err := choose(selection.Change{Release: ptr("1.37")}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		refuses(fork(""), "no fork that could end")
		refuses(fork("dance"), "is not an action")
		refuses(fork("fault:cut:on:many"), `the argument "millis"`)
		refuses(fork("watch:1.37::v1:pods:Pod"), "cannot differ by watch")
		refuses(fork("unshared:0:on"), "cannot differ by unshared")
		refuses(fork(strings.Repeat("fault:cut,", 500)+"fault:cut"), "more than 400 actions")
		refuses(choose(selection.Change{Fork: "5:fault:cut"}), "give do")
		refuses(choose(selection.Change{Do: ptr(""), From: 9, Fork: "5:fault:cut"}), "later than the beginning")
		refuses(choose(selection.Change{Do: ptr("5:unshared:0:on"), Fork: "9:fault:cut"}), "ran outside the factory")
		refuses(choose(selection.Change{Do: ptr(""), Objects: ptr(20_000), Fork: "9:fault:cut"}), "at most 10000 objects")
		refuses(choose(selection.Change{Do: ptr(""), Until: -1}), "is played for 0 to")
		if f := headFold(rec); f.IsFork() || f.State().Indexer.Count == 0 {
			t.Error("a refused fork began, or ended the experiment")
		}
		if err := fork("fault:cut"); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		refuses(fork("hold:pop"), "end that fork first")
		_, err := l.Informer(0).SetUnshared(nil)
		refuses(err, "end the fork first")
		if f := headFold(rec); !f.IsFork() || f.Lanes() != 2 {
			t.Errorf("%d lanes", f.Lanes())
		}
		if err := fork(""); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		if f := headFold(rec); f.IsFork() || f.Lanes() != 1 || f.At() < 2*time.Second {
			t.Errorf("after the end of the fork: %d lanes at %v", f.Lanes(), f.At())
		}
		watcher := New(Options{Recorder: trace.NewRecorder(trace.RecorderOptions{}), Audience: true})
		_, err = watcher.Fork(context.Background(), 1, 0, "fault:cut")
		refuses(err, ErrAudience.Error())
	})
}

// TestAForkOfAPastMoment: it has the actions up to that moment alone, and begins there.
func TestAForkOfAPastMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := openVirtual(t)
		if _, err := l.Select(context.Background(), selection.Change{Objects: ptr(20), Rate: ptr(0.0)}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		if err := l.Informer(0).Pace(3, 5); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		moment, at := rec.Head()
		<-time.After(time.Second)
		if _, err := l.Cluster("burst", ClusterArgs{N: 7}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		if _, err := l.Fork(context.Background(), moment, at, "hold:pop,delete"); err != nil {
			t.Fatal(err)
		}
		<-time.After(500 * time.Millisecond)
		head, now := rec.Head()
		story, err := l.Story(head + 1)
		if err != nil || !strings.Contains(story.Do, "pace:3:5") || strings.Contains(story.Do, "burst") {
			t.Errorf("what was done: %q, %v", story.Do, err)
		}
		f := rec.FoldAt(head)
		from := at.Truncate(time.Millisecond)
		if x := f.Fork(); x == nil || x.AtMillis < fold.Millis(from) || x.AtMillis > fold.Millis(from)+2 || now < from || story.Fork != x.Acts {
			t.Errorf("forked at %v of %v: %+v", at, now, x)
		}
		if one, two := f.LaneState(0), f.LaneState(1); len(one.Holds) != 0 || len(two.Holds) != 1 || one.Listeners[2].PaceMillis != 5 ||
			two.Listeners[2].PaceMillis != 5 || two.Queue.Depth == 0 {
			t.Errorf("holds %+v and %+v, queue %d", one.Holds, two.Holds, two.Queue.Depth)
		}

		// A recording of a fork shows how its lanes differ, too.
		var file bytes.Buffer
		if _, err := l.Record(&file, false); err != nil {
			t.Fatal(err)
		}
		recorded := trace.NewRecorder(trace.RecorderOptions{})
		other := New(Options{Recorder: recorded})
		defer other.Close()
		if read, err := other.Load(&file); err != nil || read.Warning != "" {
			t.Fatal(read, err)
		}
		want, got := headFold(rec).Fork(), headFold(recorded).Fork()
		if want.Parting == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("recorded as %+v, and it was %+v", got, want)
		}
	})
}

// forkNow forks at the end of the log.
func forkNow(t *testing.T, l *Lab, rec *trace.Recorder, do string) {
	t.Helper()
	head, _ := rec.Head()
	if _, err := l.Fork(context.Background(), head+1, rec.Now(), do); err != nil {
		t.Fatal(err)
	}
}

func headFold(rec *trace.Recorder) *fold.Fold {
	head, _ := rec.Head()
	return rec.FoldAt(head)
}

// TestAForkThatChangesNothingNeverParts: a second lane with an action without any effect does what the first one does, event for event.
func TestAForkThatChangesNothingNeverParts(t *testing.T) {
	for _, release := range []string{"1.31", "1.37"} {
		forkLab(t, selection.Change{Release: &release}, func(l *Lab, rec *trace.Recorder) {
			forkNow(t, l, rec, "fault:refuse:off")
			if _, err := l.Cluster("burst", ClusterArgs{N: 20}); err != nil { // both lanes get it
				t.Fatal(err)
			}
			<-time.After(20 * time.Second)
			f := headFold(rec)
			x := f.Fork()
			if x == nil || f.Lanes() != 2 || f.HasFactory() || f.Compares() {
				t.Fatalf("%d lanes, fork %+v", f.Lanes(), x)
			}
			if x.Parting != nil {
				t.Errorf("client-go %s: they part at %+v", release, x.Parting)
			}
			if s := x.Stores; s.Counts[0] != s.Counts[1] || s.Only != [2]int{} || s.Other != 0 || s.Counts[0] == 0 || strings.Trim(s.Map, "=") != "" ||
				len(s.Map) != s.Counts[0] {
				t.Errorf("client-go %s: the stores differ: %+v", release, s)
			}
			for _, h := range x.Handlers {
				if h.Differ || h.Calls[0].Updated < 20 {
					t.Errorf("client-go %s: %+v", release, h)
				}
			}
		})
	}
}

// TestAForkPartsAtItsAct: the first event that differs is what the act did, at its time, in the second lane.
func TestAForkPartsAtItsAct(t *testing.T) {
	for deed, check := range map[string]func(t *testing.T, l *Lab, x *facts.Fork, one, two *fold.State){
		"fault:cut": func(t *testing.T, _ *Lab, x *facts.Fork, one, two *fold.State) {
			if x.Parting.Kind != "WireDone" || x.Parting.Lane != 1 || x.Parting.AtMillis != x.AtMillis || two.Reflector.Relists+two.Reflector.Watches <=
				one.Reflector.Relists+one.Reflector.Watches {
				t.Errorf("%+v; %+v", x.Parting, two.Reflector)
			}
			if len(one.Faults) != 0 || len(two.Faults) != 1 {
				t.Errorf("faults %+v and %+v", one.Faults, two.Faults)
			}
		},
		"hold:pop": func(t *testing.T, l *Lab, x *facts.Fork, one, two *fold.State) {
			if x.Parting.Kind != "Popped" || x.Parting.Lane != 0 || x.Instead == nil || x.Instead.Kind != "GateWaiting" || x.Parting.AtMillis < x.AtMillis ||
				len(one.Holds) != 0 || len(two.Holds) != 1 ||
				two.Queue.Depth == 0 || one.Queue.Depth != 0 || x.Stores.Other == 0 {
				t.Errorf("%+v; holds %+v, %+v; stores %+v", x.Parting, one.Holds, two.Holds, x.Stores)
			}
			if err := l.Informer(1).Release("pop", 0, 0); err != nil { // only the second lane is held
				t.Error(err)
			}
		},
		"pace:3:60000": func(t *testing.T, _ *Lab, x *facts.Fork, one, two *fold.State) {
			if x.Parting.Handler != "mailer" || two.Listeners[2].Pending <= one.Listeners[2].Pending || !x.Handlers[2].Differ || x.Handlers[0].Differ {
				t.Errorf("%+v; %+v", x.Parting, x.Handlers)
			}
		},
		"shutdown,start::1.31": func(t *testing.T, _ *Lab, x *facts.Fork, one, two *fold.State) {
			if one.Release != "1.37" || two.Release != "1.31" || !two.Synced || one.Indexer.Count != two.Indexer.Count || x.Parting.Lane != 1 {
				t.Errorf("%s and %s, synced %v, %+v", one.Release, two.Release, two.Synced, x.Parting)
			}
		},
		"unlisten:2,listen:metrics": func(t *testing.T, _ *Lab, x *facts.Fork, one, two *fold.State) {
			if x.Parting.Kind != "ListenerRemoved" || one.Listeners[1].ResyncMillis == 0 || two.Listeners[3].ResyncMillis != 0 || !two.Listeners[1].Removed {
				t.Errorf("%+v; %+v", x.Parting, two.Listeners)
			}
		},
	} {
		t.Run(deed, func(t *testing.T) {
			forkLab(t, selection.Change{}, func(l *Lab, rec *trace.Recorder) {
				forkNow(t, l, rec, deed)
				<-time.After(10 * time.Second)
				f := headFold(rec)
				x := f.Fork()
				if x.Parting == nil {
					t.Fatal("the lanes do not part")
				}
				check(t, l, x, f.LaneState(0), f.LaneState(1))
			})
		})
	}
}
