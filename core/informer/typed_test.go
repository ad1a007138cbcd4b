package informer

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/words/releases"
)

func describeDeleted(o *object, key, objName, ns, n string, unknown bool) string {
	s := "nothing"
	if o != nil {
		s = name(o)
	}
	return fmt.Sprintf("delete %s key=%s name=%s ns=%s n=%s unknown=%v", s, key, objName, ns, n, unknown)
}

func ourDeleted(d DeletedObject[*object]) string {
	return describeDeleted(d.OptionalObj, d.GetKey(), d.GetObjectName().String(), d.GetNamespace(), d.GetName(), d.FinalStateUnknown != nil)
}

func theirDeleted(d clientgo.DeletedObject[*object]) string {
	return describeDeleted(d.OptionalObj, d.GetKey(), d.GetObjectName().String(), d.GetNamespace(), d.GetName(), d.FinalStateUnknown != nil)
}

// TestTypedHandlers passes the same notifications to typed handlers of both libraries: plain, detailed and filtered ones.
func TestTypedHandlers(t *testing.T) {
	var got, want []string
	say := func(log *[]string, format string, args ...any) { *log = append(*log, fmt.Sprintf(format, args...)) }
	has := func(o *object) bool { return o != nil && o.Labels["app"] == "x" }
	ourHandlers := func(log *[]string) []ResourceEventHandler {
		plain := TypedResourceEventHandlerFuncs[*object]{
			AddFunc:    func(o *object) { say(log, "add %s", name(o)) },
			UpdateFunc: func(a, b *object) { say(log, "update %s %s", name(a), name(b)) },
			DeleteFunc: func(d DeletedObject[*object]) { say(log, "%s", ourDeleted(d)) },
		}
		detailed := TypedResourceEventHandlerDetailedFuncs[*object]{
			AddFunc: func(o *object, initial bool) { say(log, "add %s %v", name(o), initial) }, UpdateFunc: plain.UpdateFunc, DeleteFunc: plain.DeleteFunc}
		filtered := TypedFilteringResourceEventHandler[*object]{FilterFunc: has, Handler: detailed}
		var hs []ResourceEventHandler
		for _, h := range []TypedResourceEventHandler[*object]{plain, detailed, filtered, TypedResourceEventHandlerFuncs[*object]{},
			TypedResourceEventHandlerDetailedFuncs[*object]{}} {
			hs = append(hs, &typedResourceEventHandler[*object]{h})
		}
		return hs
	}
	// client-go's adapter is not exported: a fake informer receives it.
	theirHandlers := func(log *[]string) []clientgo.ResourceEventHandler {
		plain := clientgo.TypedResourceEventHandlerFuncs[*object]{
			AddFunc:    func(o *object) { say(log, "add %s", name(o)) },
			UpdateFunc: func(a, b *object) { say(log, "update %s %s", name(a), name(b)) },
			DeleteFunc: func(d clientgo.DeletedObject[*object]) { say(log, "%s", theirDeleted(d)) },
		}
		detailed := clientgo.TypedResourceEventHandlerDetailedFuncs[*object]{
			AddFunc: func(o *object, initial bool) { say(log, "add %s %v", name(o), initial) }, UpdateFunc: plain.UpdateFunc, DeleteFunc: plain.DeleteFunc}
		filtered := clientgo.TypedFilteringResourceEventHandler[*object]{FilterFunc: has, Handler: detailed}
		catch := &catcher{}
		typed := clientgo.NewTypedSharedIndexInformer[*object](catch)
		for _, h := range []clientgo.TypedResourceEventHandler[*object]{plain, detailed, filtered, clientgo.TypedResourceEventHandlerFuncs[*object]{},
			clientgo.TypedResourceEventHandlerDetailedFuncs[*object]{}} {
			if _, err := typed.AddTypedEventHandler(h); err != nil {
				t.Fatal(err)
			}
		}
		return catch.handlers
	}
	x, y := objWithApp("a", "1", "x"), objWithApp("a", "2", "y")
	cluster := &object{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	mine, judge := ourHandlers(&got), theirHandlers(&want)
	for i := range mine {
		for _, o := range []*object{x, y} {
			mine[i].OnAdd(o, true)
			judge[i].OnAdd(o, true)
		}
		for _, p := range [][2]*object{{x, x}, {x, y}, {y, x}, {y, y}} {
			mine[i].OnUpdate(p[0], p[1])
			judge[i].OnUpdate(p[0], p[1])
		}
		for _, o := range []any{x, y, cluster} {
			mine[i].OnDelete(o)
			judge[i].OnDelete(o)
			for _, key := range []string{"ns/a", "node", "a/b/c", ""} {
				mine[i].OnDelete(DeletedFinalStateUnknown{Key: key, Obj: o})
				judge[i].OnDelete(clientgo.DeletedFinalStateUnknown{Key: key, Obj: o})
				mine[i].OnDelete(DeletedFinalStateUnknown{Key: key})
				judge[i].OnDelete(clientgo.DeletedFinalStateUnknown{Key: key})
			}
		}
	}
	equal(t, "typed handlers", got, want)
	if len(want) < 30 {
		t.Errorf("only %d calls", len(want))
	}
	if (DeletedObject[*object]{}).GetKey() != (clientgo.DeletedObject[*object]{}).GetKey() ||
		ourDeleted(DeletedObject[*object]{}) != theirDeleted(clientgo.DeletedObject[*object]{}) {
		t.Error("the zero DeletedObject")
	}
}

// catcher is a client-go informer that keeps its handlers.
type catcher struct {
	clientgo.SharedIndexInformer
	handlers []clientgo.ResourceEventHandler
}

func (c *catcher) AddEventHandlerWithOptions(h clientgo.ResourceEventHandler, _ clientgo.HandlerOptions) (clientgo.ResourceEventHandlerRegistration, error) {
	c.handlers = append(c.handlers, h)
	return nil, nil
}

func TestTypedInformer(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", objWithApp("a", "1", "x"), objWithApp("b", "2", "y"))
		typed := NewTypedSharedIndexInformer[*object](NewSharedIndexInformerWithOptions(srv.lw(), &object{}, SharedIndexInformerOptions{
			Release:  release,
			Indexers: TypedIndexersToIndexers(TypedIndexers[*object]{"rv": func(o *object) ([]string, error) { return []string{o.ResourceVersion}, nil }})}))
		app := func(o *object) ([]string, error) { return []string{o.Labels["app"]}, nil }
		if err := typed.AddTypedIndexers(TypedIndexers[*object]{"app": app}); err != nil {
			t.Fatal(err)
		}
		var log []string
		h := TypedResourceEventHandlerDetailedFuncs[*object]{
			AddFunc:    func(o *object, initial bool) { log = append(log, fmt.Sprintf("add %s %v", o.Name, initial)) },
			DeleteFunc: func(d DeletedObject[*object]) { log = append(log, "delete "+d.GetKey()) },
		}
		if _, err := typed.AddTypedEventHandler(h, HandlerOptions{}, HandlerOptions{}); err == nil {
			t.Error("two HandlerOptions were accepted")
		}
		reg, err := typed.AddTypedEventHandler(h, HandlerOptions{Name: "typed"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); typed.RunWithContext(ctx) }()
		WaitFor(t.Context(), "", reg.HasSyncedChecker())
		srv.send(deletedEvent(objWithApp("b", "7", "y")))
		synctest.Wait()
		equal(t, "calls", log, []string{"add a true", "add b true", "delete ns/b"})
		indexer := typed.GetTypedIndexer()
		if err := indexer.AddTypedIndexers(TypedIndexers[*object]{"name": func(o *object) ([]string, error) { return []string{o.Name}, nil }}); err != nil {
			t.Fatal(err)
		}
		for _, index := range []struct{ name, value string }{{"app", "x"}, {"rv", "1"}, {"name", "a"}} {
			objs, err := indexer.ByTypedIndex(index.name, index.value)
			if err != nil || len(objs) != 1 || objs[0].Name != "a" {
				t.Errorf("%v: %v, %v", index, objs, err)
			}
		}
		if objs, err := indexer.TypedIndex("app", objWithApp("z", "", "x")); err != nil || len(objs) != 1 {
			t.Errorf("%v, %v", objs, err)
		}
		if _, err := indexer.ByTypedIndex("none", ""); err == nil {
			t.Error("ByTypedIndex accepts an index that does not exist")
		}
		cancel()
		<-done
	})
}

// TestTheWatchOpensLate checks that the test server waits for the watch before it sends events, because a LIST alone syncs an informer.
func TestTheWatchOpensLate(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"))
		if len(srv.watches) == 0 {
			srv.watches = []reply{{}}
		}
		srv.watches[0].late = time.Second
		r := start(t, srv, SharedIndexInformerOptions{Release: release})
		WaitFor(t.Context(), "", r.reg.HasSyncedChecker())
		srv.send(addedEvent(obj("b", "6")))
		synctest.Wait()
		equal(t, "calls", r.calls.lines(), []string{"add a@1 true", "add b@6 false"})
		srv.watches = []reply{{late: time.Second}}
		srv.end()
		srv.send(addedEvent(obj("c", "7")))
		synctest.Wait()
		equal(t, "calls on the second watch", r.calls.lines(), []string{"add a@1 true", "add b@6 false", "add c@7 false"})
		r.stop()
	})
}

// TestTypedHandlerName checks that a typed handler has the same name as in client-go.
func TestTypedHandlerName(t *testing.T) {
	judge := clientgo.NewTypedSharedIndexInformer[*object](clientgo.NewSharedIndexInformer(&clientgo.ListWatch{}, &object{}, 0, clientgo.Indexers{}))
	mine := NewTypedSharedIndexInformer[*object](NewSharedIndexInformer(&ListWatch{}, &object{}, 0, Indexers{}))
	theirReg, err := judge.AddTypedEventHandler(clientgo.TypedResourceEventHandlerFuncs[*object]{})
	if err != nil {
		t.Fatal(err)
	}
	reg, err := mine.AddTypedEventHandler(TypedResourceEventHandlerFuncs[*object]{})
	if err != nil {
		t.Fatal(err)
	}
	// The package paths differ; what follows them is the same.
	after := func(s string) string { return s[slices.Index([]byte(s), '+'):] }
	got, want := after(reg.HasSyncedChecker().Name()), after(theirReg.HasSyncedChecker().Name())
	const ourPackage, theirPackage = "informerscope/core/informer.", "k8s.io/client-go/tools/cache."
	if len(got) < len(ourPackage) || len(want) < len(theirPackage) || got[len(" + event handler ")-1+len(ourPackage):] != want[len(" + event handler ")-1+len(
		theirPackage):] {
		t.Errorf("%q, client-go %q", got, want)
	}
}
