package informer

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/words/event"
)

func letters(o any) ([]string, error) {
	return strings.Split(o.(metav1.Object).GetLabels()["app"], ""), nil
}

// TestStoreSameAsClientGo applies the same random operations to both libraries' stores and compares all lookups. With odd seeds it also changes stored
// objects in place.
func TestStoreSameAsClientGo(t *testing.T) {
	for seed := range int64(30) {
		rng := rand.New(rand.NewSource(seed))
		rec := &recorder{}
		mine := NewIndexer(DeletionHandlingMetaNamespaceKeyFunc, Indexers{"app": appIndex, "namespace": MetaNamespaceIndexFunc}, WithObserver(rec))
		judge := clientgo.NewIndexer(clientgo.DeletionHandlingMetaNamespaceKeyFunc, clientgo.Indexers{"app": appIndex, "namespace": clientgo.MetaNamespaceIndexFunc})
		rv := 0
		some := func() *object {
			rv++
			o := objWithApp(fmt.Sprint("o", rng.Intn(150)), fmt.Sprint(rv), strings.Repeat("x", rng.Intn(3))+fmt.Sprint(rng.Intn(3)))
			o.Namespace = fmt.Sprint("ns", rng.Intn(2))
			return o
		}
		for range 200 {
			switch rng.Intn(9) {
			case 0, 1, 2:
				o := some()
				_, _ = mine.Add(o), judge.Add(o)
			case 3:
				o := some()
				_, _ = mine.Update(o), judge.Update(o)
			case 4:
				o := some()
				_, _ = mine.Delete(o), judge.Delete(o)
			case 5:
				key, _ := MetaNamespaceKeyFunc(some())
				_, _ = mine.Delete(DeletedFinalStateUnknown{Key: key}), judge.Delete(clientgo.DeletedFinalStateUnknown{Key: key})
			case 6:
				var a []Transaction
				var b []clientgo.Transaction
				for range rng.Intn(5) {
					o, kind := any(some()), []TransactionType{TransactionTypeAdd, TransactionTypeUpdate, TransactionTypeDelete}[rng.Intn(3)]
					if rng.Intn(5) == 0 {
						o = "without metadata"
					}
					a = append(a, Transaction{o, kind})
					b = append(b, clientgo.Transaction{Object: o, Type: clientgo.TransactionType(kind)})
				}
				e1, e2 := mine.(TransactionStore).Transaction(a...), judge.(clientgo.TransactionStore).Transaction(b...)
				if (e1 == nil) != (e2 == nil) || e1 != nil && (!slices.Equal(e1.SuccessfulIndices, e2.SuccessfulIndices) || e1.Error() != e2.Error()) {
					t.Fatalf("seed %d: Transaction: %v, client-go %v", seed, e1, e2)
				}
			case 7:
				switch rng.Intn(12) {
				case 0:
					var objs []any
					for range rng.Intn(150) {
						objs = append(objs, some())
					}
					_, _ = mine.Replace(slices.Clone(objs), "r"+fmt.Sprint(rv)), judge.Replace(slices.Clone(objs), "r"+fmt.Sprint(rv))
				case 1:
					if e1, e2 := mine.AddIndexers(Indexers{"letters": letters}), judge.AddIndexers(clientgo.Indexers{"letters": letters}); (e1 == nil) != (e2 == nil) {
						t.Fatalf("AddIndexers: %v, client-go %v", e1, e2)
					}
				case 2:
					mine.Bookmark("b" + fmt.Sprint(rv))
					judge.Bookmark("b" + fmt.Sprint(rv))
				}
			case 8:
				// As a handler does that changes its objects.
				if keys := mine.ListKeys(); len(keys) > 0 && seed%2 == 1 {
					o, _, _ := mine.GetByKey(keys[rng.Intn(len(keys))])
					o.(*object).Labels = map[string]string{"app": "mutated"}
				}
			}
			compareStores(t, mine, judge)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		if seed%2 == 1 {
			continue // no event reports that an object was changed in place
		}
		folded := fold(rec.events, t.Errorf)
		if inside := mine.(*cache).snapshotLocked(); !reflect.DeepEqual(inside, folded.Store) {
			t.Errorf("seed %d: inside %v\nfolded %v", seed, inside, folded.Store)
		}
	}
}

func compareStores(t *testing.T, mine Indexer, judge clientgo.Indexer) {
	t.Helper()
	sortNames := func(s []string) []string { slices.Sort(s); return s }
	names := func(objs []any, err error) []string {
		out := []string{fmt.Sprint(err)}
		for _, o := range objs {
			if o == nil {
				out = append(out, "nothing")
				continue
			}
			out = append(out, o.(metav1.Object).GetNamespace()+"/"+name(o))
		}
		return sortNames(out)
	}
	equal(t, "keys", sortNames(mine.ListKeys()), sortNames(judge.ListKeys()))
	equal(t, "list", names(mine.List(), nil), names(judge.List(), nil))
	if a, b := mine.LastStoreSyncResourceVersion(), judge.LastStoreSyncResourceVersion(); a != b {
		t.Errorf("resourceVersion %q, client-go %q", a, b)
	}
	for _, index := range []string{"app", "namespace", "letters", "none"} {
		values := sortNames(judge.ListIndexFuncValues(index))
		equal(t, "values of "+index, sortNames(mine.ListIndexFuncValues(index)), values)
		for _, v := range append(values, "no such value") {
			a, e1 := mine.IndexKeys(index, v)
			b, e2 := judge.IndexKeys(index, v)
			equal(t, index+"="+v, append(a, fmt.Sprint(e1)), append(b, fmt.Sprint(e2)))
			equal(t, "objects of "+index+"="+v, names(mine.ByIndex(index, v)), names(judge.ByIndex(index, v)))
		}
		like := objWithApp("like", "1", "x1")
		equal(t, "found by "+index, names(mine.Index(index, like)), names(judge.Index(index, like)))
	}
}

func TestStoreTransformAndKeyErrors(t *testing.T) {
	s := NewStore(MetaNamespaceKeyFunc, WithTransformer(func(o any) (any, error) {
		if o.(*object).Name == "bad" {
			return nil, errors.New("no")
		}
		c := o.(*object).DeepCopy()
		c.ResourceVersion += "t"
		return c, nil
	}))
	if err := s.Add(obj("a", "1")); err != nil {
		t.Fatal(err)
	}
	if o, _, _ := s.GetByKey("ns/a"); name(o) != "a@1t" {
		t.Errorf("stored %s", name(o))
	}
	for _, err := range []error{s.Add(obj("bad", "1")), s.Update(obj("bad", "1")), s.Replace([]any{obj("bad", "1")}, "")} {
		if err == nil || !strings.Contains(err.Error(), "transforming") {
			t.Errorf("a failed transform: %v", err)
		}
	}
	var keyErr KeyError
	for _, err := range []error{s.Add(7), s.Update(7), s.Delete(7), s.Replace([]any{7}, "")} {
		if !errors.As(err, &keyErr) {
			t.Errorf("a thing without metadata: %v", err)
		}
	}
	if _, _, err := s.Get(7); !errors.As(err, &keyErr) {
		t.Errorf("Get of a thing without metadata: %v", err)
	}
}

// TestIndexPanic checks that an index function's error panics, but leaves the object stored and the locks free, and that the fold of the events still
// equals the store's state.
func TestIndexPanic(t *testing.T) {
	rec := &recorder{}
	s := newCache(MetaNamespaceKeyFunc, Indexers{"app": func(o any) ([]string, error) {
		if o.(*object).Name == "bad" {
			return nil, errors.New("no index")
		}
		return appIndex(o)
	}}, WithObserver(rec))
	_ = s.Add(objWithApp("a", "1", "x"))
	for _, write := range []func(){
		func() { _ = s.Add(objWithApp("bad", "2", "x")) },
		func() { _ = s.Replace([]any{objWithApp("b", "3", "y"), objWithApp("bad", "4", "x")}, "9") },
		func() { s.Transaction(Transaction{objWithApp("bad", "5", "x"), TransactionTypeAdd}) },
		func() {
			_ = s.AddIndexers(Indexers{"always": func(any) ([]string, error) { return nil, errors.New("no index") }})
		},
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "index") {
					t.Errorf("panic: %v", r)
				}
			}()
			write()
		}()
		folded := fold(rec.events, t.Errorf)
		if inside := s.snapshotLocked(); !reflect.DeepEqual(inside, folded.Store) {
			t.Errorf("inside %v\nfolded %v", inside, folded.Store)
		}
	}
	if _, exists, _ := s.GetByKey("ns/bad"); !exists {
		t.Error("the object that could not be indexed is not stored")
	}
}

// TestListIsASnapshot checks that a List does not change with later writes, while many goroutines read and write.
func TestListIsASnapshot(t *testing.T) {
	s := newCache(MetaNamespaceKeyFunc, Indexers{})
	for i := range 500 {
		_ = s.Add(obj(fmt.Sprint("o", i), "0"))
	}
	var wg sync.WaitGroup
	for r := range 4 {
		wg.Go(func() {
			for i := range 200 {
				objs := s.List()
				before := slices.Clone(objs)
				if r == 0 {
					_ = s.Delete(obj(fmt.Sprint("o", i), "1"))
				} else {
					_ = s.Add(obj(fmt.Sprint("o", (i*7+r)%600), fmt.Sprint(i)))
				}
				if !slices.Equal(objs, before) {
					t.Error("a list changed with a later write")
				}
			}
		})
	}
	wg.Wait()
}

func TestKeys(t *testing.T) {
	cluster := &object{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	for _, tc := range []struct {
		in   any
		want string
		bad  bool
	}{
		{obj("a", ""), "ns/a", false},
		{cluster, "n", false},
		{ExplicitKey("x/y"), "x/y", false},
		{DeletedFinalStateUnknown{Key: "k"}, "k", false},
		{nil, "", true},
		{7, "", true},
	} {
		got, err := DeletionHandlingMetaNamespaceKeyFunc(tc.in)
		if got != tc.want || (err != nil) != tc.bad {
			t.Errorf("%v: %q, %v", tc.in, got, err)
		}
	}
	for _, key := range []string{"", "n", "ns/n", "/n", "ns/", "a/b/c"} {
		ns, n, err := SplitMetaNamespaceKey(key)
		cns, cn, cerr := clientgo.SplitMetaNamespaceKey(key)
		if ns != cns || n != cn || fmt.Sprint(err) != fmt.Sprint(cerr) {
			t.Errorf("%q: %q %q %v, client-go %q %q %v", key, ns, n, err, cns, cn, cerr)
		}
	}
	if n, err := DeletionHandlingObjectToName(DeletedFinalStateUnknown{Key: "ns/n"}); err != nil || n != (ObjectName{Namespace: "ns", Name: "n"}) {
		t.Errorf("%v %v", n, err)
	}
}

// TestReportedIndexValues checks the index values that are reported: values that did not change are the same slice again, and others come from the index
// functions. That must also hold if a handler changed the object in place, or if the key is another one.
func TestReportedIndexValues(t *testing.T) {
	rec := &recorder{}
	s := NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": appIndex, "namespace": MetaNamespaceIndexFunc}, WithObserver(rec))
	write := func(o *object) []event.IndexValues {
		t.Helper()
		if err := s.Update(o); err != nil {
			t.Fatal(err)
		}
		return rec.prefix(rec.len())[rec.len()-1].Stored().Indexed
	}
	expect := func(got []event.IndexValues, app string, more ...event.IndexValues) {
		t.Helper()
		want := append([]event.IndexValues{{Index: "app", Values: []string{app}}, {Index: "namespace", Values: []string{"ns"}}}, more...)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("reported %v, want %v", got, want)
		}
	}
	first := write(objWithApp("a", "1", "cart"))
	expect(first, "cart")
	second := objWithApp("a", "2", "cart")
	again := write(second)
	if expect(again, "cart"); &again[0] != &first[0] {
		t.Error("unchanged values were reported in a new slice")
	}
	second.Labels["app"] = "mine"
	expect(write(objWithApp("a", "3", "cart")), "cart")
	expect(write(objWithApp("a", "4", "mine")), "mine")
	expect(first, "cart")
	if err := s.Delete(objWithApp("a", "5", "mine")); err != nil {
		t.Fatal(err)
	}
	expect(write(objWithApp("b", "6", "cart")), "cart")
	if err := s.AddIndexers(Indexers{"letters": letters}); err != nil {
		t.Fatal(err)
	}
	expect(write(objWithApp("b", "7", "cart")), "cart", event.IndexValues{Index: "letters", Values: []string{"c", "a", "r", "t"}})
}

// TestChangedInPlace checks that an object that is changed in place leaves its key in the index under the old value, as in client-go. Deleting
// the object, or adding it again, does not remove the key either.
func TestChangedInPlace(t *testing.T) {
	index := func(o any) ([]string, error) { return []string{o.(*object).Labels["app"]}, nil }
	s := newCache(MetaNamespaceKeyFunc, Indexers{"app": index})
	o := objWithApp("a", "1", "x")
	_ = s.Add(o)
	o.Labels["app"] = "y"
	_ = s.Delete(o)
	keys, err := s.IndexKeys("app", "x")
	if err != nil || !slices.Equal(keys, []string{"ns/a"}) {
		t.Errorf("keys %v, %v; want the one left behind", keys, err)
	}
	if objs, err := s.ByIndex("app", "x"); err != nil || len(objs) != 1 || objs[0] != nil {
		t.Errorf("objects %v, %v; want one nil", objs, err)
	}
	if _, exists, _ := s.GetByKey("ns/a"); exists || len(s.List()) != 0 || len(s.ListKeys()) != 0 {
		t.Error("the deleted object is still there")
	}
	back := objWithApp("a", "2", "z")
	_ = s.Add(back)
	if objs, err := s.ByIndex("app", "x"); err != nil || len(objs) != 1 || objs[0] != any(back) {
		t.Errorf("objects %v, %v; want the one that came back", objs, err)
	}
	_ = s.Replace([]any{objWithApp("c", "3", "z")}, "3")
	if values := s.ListIndexFuncValues("app"); !slices.Equal(values, []string{"z"}) {
		t.Errorf("values %v after a Replace, want z alone", values)
	}
}
