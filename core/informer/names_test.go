package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

func onAdd(any)         {}
func onUpdate(_, _ any) {}

// TestHandlerNames compares the names of DoneCheckers, which contain the handlers' names.
func TestHandlerNames(t *testing.T) {
	judge := clientgo.NewSharedIndexInformer(&clientgo.ListWatch{}, &object{}, 0, clientgo.Indexers{})
	mine := NewSharedIndexInformer(&ListWatch{}, &object{}, 0, Indexers{})
	var nilCalls *calls
	for i, pair := range []struct {
		ours   ResourceEventHandler
		theirs clientgo.ResourceEventHandler
	}{
		{ResourceEventHandlerFuncs{AddFunc: onAdd, UpdateFunc: onUpdate}, clientgo.ResourceEventHandlerFuncs{AddFunc: onAdd, UpdateFunc: onUpdate}},
		{ResourceEventHandlerFuncs{AddFunc: onAdd, DeleteFunc: (&calls{}).OnDelete},
			clientgo.ResourceEventHandlerFuncs{AddFunc: onAdd, DeleteFunc: (&calls{}).OnDelete}},
		{&ResourceEventHandlerFuncs{AddFunc: onAdd}, &clientgo.ResourceEventHandlerFuncs{AddFunc: onAdd}},
		{&calls{}, &calls{}},
		{nilCalls, nilCalls},
		{struct{ *calls }{}, struct{ *calls }{}},
	} {
		reg, err := mine.AddEventHandler(pair.ours)
		if err != nil {
			t.Fatal(err)
		}
		theirReg, err := judge.AddEventHandler(pair.theirs)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := reg.HasSyncedChecker().Name(), theirReg.HasSyncedChecker().Name(); got != want {
			t.Errorf("handler %d: %q, client-go %q", i, got, want)
		}
	}
	if got, want := mine.HasSyncedChecker().Name(), judge.HasSyncedChecker().Name(); got != want {
		t.Errorf("%q, client-go %q", got, want)
	}
	reg, _ := mine.AddEventHandlerWithOptions(ResourceEventHandlerFuncs{}, HandlerOptions{Name: "mine"})
	if name := reg.HasSyncedChecker().Name(); !strings.HasSuffix(name, "event handler mine") {
		t.Errorf("the name of a handler that has one: %q", name)
	}
}

func TestNamesOfWords(t *testing.T) {
	if s := fmt.Sprint(event.OpReplacedAll, event.Op(99), event.VerbWatchList, event.Verb(99)); s != "ReplacedAll Unknown WATCHLIST UNKNOWN" {
		t.Error(s)
	}
	for op := event.OpAdded; op <= event.OpBookmark; op++ {
		if string(deltaTypes[op]) != op.String() {
			t.Errorf("%v has the name %q", op, deltaTypes[op])
		}
	}
}

func TestObjectNames(t *testing.T) {
	if _, err := ParseObjectName("a/b/c"); err == nil {
		t.Error("a key of three parts was accepted")
	}
	inner := errors.New("inner")
	if err := error(KeyError{7, inner}); !errors.Is(err, inner) || !strings.Contains(err.Error(), "7") {
		t.Error(err)
	}
	if _, err := MetaNamespaceIndexFunc(7); err == nil {
		t.Error("7 has a namespace index value")
	}
}

// TestDeltas checks the Deltas that a queue passes to Pop.
func TestDeltas(t *testing.T) {
	f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
	if Deltas(nil).Oldest() != nil || Deltas(nil).Newest() != nil {
		t.Error("Oldest or Newest of no deltas is not nil")
	}
	_, _ = f.Add(obj("a", "1")), f.Update(obj("a", "2"))
	popped, err := f.Pop(func(any, bool) error { return nil })
	d := popped.(Deltas)
	if err != nil || d.Oldest().Type != Added || d.Newest().Type != Updated || name(d.Newest().Object) != "a@2" {
		t.Errorf("%v %v", d, err)
	}
	for in, want := range map[any]string{obj("a", ""): "ns/a", DeletedFinalStateUnknown{Key: "k"}: "k"} {
		if key, err := f.KeyOf(in); key != want || err != nil {
			t.Errorf("KeyOf(%v): %q, %v", in, key, err)
		}
	}
	if key, err := f.KeyOf(d); key != "ns/a" || err != nil {
		t.Errorf("KeyOf deltas: %q, %v", key, err)
	}
	if _, err := f.KeyOf(Deltas{}); !errors.Is(err, ErrZeroLengthDeltasObject) {
		t.Errorf("KeyOf no deltas: %v", err)
	}
	if f.IsClosed() || f.Name() != "DeltaFIFO" || f.Transformer() != nil {
		t.Error("a new DeltaFIFO")
	}
	f.Close()
	if !f.IsClosed() {
		t.Error("a closed DeltaFIFO")
	}
}

// plainLW is a ListerWatcher without methods that take a context.
type plainLW struct{ srv *server }

func (p plainLW) List(o metav1.ListOptions) (list runtime.Object, err error) {
	return p.srv.listWithContext(context.Background(), o)
}
func (p plainLW) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return p.srv.watchWithContext(context.Background(), o)
}

func TestListerWatcherWithoutContext(t *testing.T) {
	for _, lwOf := range []func(*server) ListerWatcher{
		func(s *server) ListerWatcher { return plainLW{s} },
		func(s *server) ListerWatcher {
			return &ListWatch{ListFunc: plainLW{s}.List, WatchFunc: plainLW{s}.Watch}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := newServer([]reply{{list: list("5", obj("a", "1"))}}, []reply{{}})
			store := NewStore(MetaNamespaceKeyFunc)
			r := NewReflectorWithOptions(lwOf(srv), &object{}, store, ReflectorOptions{Release: releases.V133})
			runReflector(t, r, func() {})
			equal(t, "keys", store.ListKeys(), []string{"ns/a"})
		})
	}
	srv := newServer(nil, nil)
	if _, err := srv.lw().List(metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := srv.lw().Watch(metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

func TestOldConstructors(t *testing.T) {
	for i, build := range []func(ListerWatcher, ResourceEventHandler) (Store, Controller){
		func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
			return NewInformer(lw, &object{}, 0, h)
		},
		func(lw ListerWatcher, h ResourceEventHandler) (Store, Controller) {
			return NewIndexerInformer(lw, &object{}, 0, h, Indexers{"app": appIndex})
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := newServer(nil, []reply{initial("5", objWithApp("a", "1", "x")), {}})
			c := &calls{}
			// Test both handler adapters at once.
			h := FilteringResourceEventHandler{FilterFunc: func(any) bool { return true }, Handler: ResourceEventHandlerFuncs{
				AddFunc: func(o any) { c.OnAdd(o, false) }, UpdateFunc: c.OnUpdate, DeleteFunc: c.OnDelete}}
			store, ctl := build(srv.lw(), h)
			stop, done := make(chan struct{}), make(chan struct{})
			go func() { defer close(done); ctl.Run(stop) }()
			synctest.Wait()
			srv.send(modifiedEvent(objWithApp("a", "6", "x")), deletedEvent(objWithApp("a", "7", "x")), addedEvent(objWithApp("b", "8", "x")))
			synctest.Wait()
			equal(t, "calls", c.lines(), []string{"add a@1 false", "update a@1 -> a@6", "delete a@7", "add b@8 false"})
			if indexer, ok := store.(Indexer); i == 1 && ok {
				if keys, err := indexer.IndexKeys("app", "x"); err != nil || !slices.Equal(keys, []string{"ns/b"}) {
					t.Errorf("constructor %d: %v %v", i, keys, err)
				}
			}
			close(stop)
			<-done
		})
	}
}

func TestLowerResyncPeriodLowersTheCheckPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := build(t, serve(releases.V137, "5", obj("a", "1")), SharedIndexInformerOptions{ResyncPeriod: time.Hour})
		quick := &calls{}
		if _, err := r.AddEventHandlerWithResyncPeriod(quick, time.Millisecond); err != nil { // raised to a second
			t.Fatal(err)
		}
		r.run()
		time.Sleep(3*time.Second + time.Millisecond)
		equal(t, "quick", quick.lines(), []string{"add a@1 true", "resync a@1", "resync a@1", "resync a@1"})
		equal(t, "slow", r.calls.lines(), []string{"add a@1 true"})
		if ctl := r.GetController(); !ctl.HasSynced() || !IsDone(ctl.HasSyncedChecker()) || ctl.LastSyncResourceVersion() != "5" || r.IsStopped() || !r.HasStarted() {
			t.Error("the controller or the informer reports a wrong state")
		}
		r.stop()
		if !r.IsStopped() {
			t.Error("not stopped")
		}
	})
}
