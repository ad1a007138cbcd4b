package informer

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgo "k8s.io/client-go/tools/cache"
)

func selector(t *testing.T, s string) labels.Selector {
	t.Helper()
	sel, err := labels.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}

// TestListers calls the listers of both libraries, with and without an index by namespace, and with an object that has no metadata.
func TestListers(t *testing.T) {
	in := func(ns string, o *object) *object { o.Namespace = ns; return o }
	objs := []any{objWithApp("a", "1", "x"), objWithApp("b", "2", "y"), in("other", objWithApp("a", "3", "x")), in("", objWithApp("node", "4", "x"))}
	key := func(o any) (string, error) {
		if _, ok := o.(int); ok {
			return "int", nil
		}
		return MetaNamespaceKeyFunc(o)
	}
	res := schema.GroupResource{Group: "g", Resource: "things"}
	selectors := []labels.Selector{labels.Everything(), labels.Nothing(), selector(t, "app=x"), selector(t, "app!=x"), selector(t, "none")}
	for _, indexed := range []bool{true, false} {
		for _, withInt := range []bool{false, true} {
			if withInt && indexed {
				continue // it cannot be indexed
			}
			mineIdx, judgeIdx := Indexers{}, clientgo.Indexers{}
			if indexed {
				mineIdx[NamespaceIndex], judgeIdx[NamespaceIndex] = MetaNamespaceIndexFunc, clientgo.MetaNamespaceIndexFunc
			}
			mine, judge := NewIndexer(key, mineIdx), clientgo.NewIndexer(key, judgeIdx)
			for _, o := range objs {
				if mine.Add(o) != nil || judge.Add(o) != nil {
					t.Fatal("add")
				}
			}
			if withInt {
				_, _ = mine.Add(7), judge.Add(7)
			}
			var got, want []string
			listed := func(log *[]string, what string, names []string, err error) {
				if err != nil {
					names = nil // how far it got depends on map order
				}
				*log = append(*log, fmt.Sprint(what, slices.Sorted(slices.Values(names)), err))
			}
			names := func(list *[]string) func(any) {
				return func(o any) { *list = append(*list, fmt.Sprint(reflect.TypeOf(o), " ", keyOr(key(o)))) }
			}
			for _, sel := range selectors {
				var a, b []string
				err := ListAll(mine, sel, names(&a))
				listed(&got, "all", a, err)
				err = clientgo.ListAll(judge, sel, names(&b))
				listed(&want, "all", b, err)
				for _, ns := range []string{"", "ns", "other", "none"} {
					a, b = nil, nil
					err := ListAllByNamespace(mine, ns, sel, names(&a))
					listed(&got, ns, a, err)
					err = clientgo.ListAllByNamespace(judge, ns, sel, names(&b))
					listed(&want, ns, b, err)
				}
				if withInt {
					continue // not a runtime.Object, so listers panic on it
				}
				ml, jl := NewGenericLister(mine, res), clientgo.NewGenericLister(judge, res)
				list := func(log *[]string, what string, objs []runtime.Object, err error) {
					var s []string
					for _, o := range objs {
						s = append(s, name(o))
					}
					listed(log, fmt.Sprint(what, objs == nil), s, err)
				}
				o, err := ml.List(sel)
				list(&got, "lister", o, err)
				o, err = jl.List(sel)
				list(&want, "lister", o, err)
				for _, ns := range []string{"", "ns", "none"} {
					o, err = ml.ByNamespace(ns).List(sel)
					list(&got, ns, o, err)
					o, err = jl.ByNamespace(ns).List(sel)
					list(&want, ns, o, err)
					for _, n := range []string{"a", "node", "zz"} {
						x, err := ml.ByNamespace(ns).Get(n)
						got = append(got, fmt.Sprint(x, err, apierrors.IsNotFound(err)))
						x, err = jl.ByNamespace(ns).Get(n)
						want = append(want, fmt.Sprint(x, err, apierrors.IsNotFound(err)))
					}
				}
				for _, n := range []string{"ns/a", "node", "zz"} {
					x, err := ml.Get(n)
					got = append(got, fmt.Sprint(x, err))
					x, err = jl.Get(n)
					want = append(want, fmt.Sprint(x, err))
				}
			}
			equal(t, fmt.Sprintf("indexed=%v int=%v", indexed, withInt), got, want)
		}
	}
}

func keyOr(key string, err error) string {
	if err != nil {
		return err.Error()
	}
	return key
}
