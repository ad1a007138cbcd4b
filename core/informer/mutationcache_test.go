package informer

import (
	"errors"
	"fmt"
	"math/rand"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgo "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// overlay is a MutationCache of either library.
type overlay interface {
	GetByKey(key string) (any, bool, error)
	ByIndex(indexName, indexKey string) ([]any, error)
	Mutation(any)
	OnAddOrUpdate(obj runtime.Object)
	OnDelete(obj runtime.Object)
}

func app(o any) ([]string, error) {
	v, ok := o.(*object).Labels["app"]
	if !ok {
		return nil, errors.New("no app")
	}
	return []string{v}, nil
}

// TestMutationCache applies the same random writes, store changes and lookups to the caches of both libraries.
func TestMutationCache(t *testing.T) {
	for seed := range int64(120) {
		synctest.Test(t, func(t *testing.T) {
			adds := seed%2 == 0
			mineIdx, judgeIdx := NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": app}), clientgo.NewIndexer(MetaNamespaceKeyFunc, clientgo.Indexers{"app": app})
			mine := NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), mineIdx,
				MutationCacheOptions{Indexer: mineIdx, TTL: time.Minute, IncludeAdds: adds, MaxCacheSize: 3})
			judge := clientgo.NewIntegerResourceVersionMutationCacheWithOptions(klog.Background(), judgeIdx,
				clientgo.MutationCacheOptions{Indexer: judgeIdx, TTL: time.Minute, IncludeAdds: adds, MaxCacheSize: 3})
			got := playOverlay(mine, mineIdx.Add, mineIdx.Delete, seed)
			want := playOverlay(judge, judgeIdx.Add, judgeIdx.Delete, seed)
			differ(t, seed, got, want)
		})
	}
}

func playOverlay(c overlay, add, remove func(any) error, seed int64) (log []string) {
	r := rand.New(rand.NewSource(seed))
	say := func(args ...any) { log = append(log, fmt.Sprint(args...)) }
	rv := 10
	for range 120 {
		o := objWithApp(string(rune('a'+r.Intn(5))), "", string(rune('x'+r.Intn(2))))
		o.UID = types.UID(strconv.Itoa(r.Intn(3)))
		if rv++; r.Intn(3) == 0 {
			o.ResourceVersion = strconv.Itoa(rv - r.Intn(8))
		} else {
			o.ResourceVersion = strconv.Itoa(rv)
		}
		switch r.Intn(8) {
		case 0, 1:
			c.Mutation(o)
		case 2:
			if err := add(o); err != nil {
				say(err)
			}
			c.OnAddOrUpdate(o)
		case 3:
			if err := add(o); err != nil {
				say(err)
			}
		case 4:
			if err := remove(o); err != nil {
				say(err)
			}
			c.OnDelete(o)
		case 5:
			time.Sleep(time.Duration(r.Intn(30)) * time.Second)
		default:
		}
		for _, key := range []string{"ns/a", "ns/b", "ns/e", "zz"} {
			found, ok, err := c.GetByKey(key)
			if ok {
				say(key, name(found), err)
			} else {
				say(key, found, err)
			}
			if r.Intn(3) > 0 {
				break // looking up an added object drops it
			}
		}
		objs, err := c.ByIndex("app", "x")
		for _, o := range objs {
			say(name(o))
		}
		say(len(objs), err)
	}
	return log
}

func TestMutationCacheMistakes(t *testing.T) {
	store := NewStore(MetaNamespaceKeyFunc)
	c := NewIntegerResourceVersionMutationCache(klog.Background(), store, nil, time.Minute, true)
	if _, err := c.ByIndex("app", "x"); err == nil {
		t.Error("ByIndex without an indexer returned no error")
	}
	c.Mutation(7) // no key: ignored
	c.OnDelete(&metav1.Status{})
	c.OnAddOrUpdate(&metav1.Status{})
	c.Mutation(obj("a", "not a number"))
	_ = store.Add(obj("a", "1"))
	defer func() {
		if recover() == nil {
			t.Error("a resourceVersion that is not a number was compared")
		}
	}()
	_, _, _ = c.GetByKey("ns/a")
}
