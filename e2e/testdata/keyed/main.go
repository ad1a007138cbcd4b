// Command keyed is a controller of ConfigMaps that are in no cluster: a work queue made by the probe, two workers who can be held, and bodies of
// what it watches. What happens is asked for over HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe"
)

// source is a cluster of one resource, that begins with ten objects.
type source struct {
	mu      sync.Mutex
	kind    func(name string, rv int) runtime.Object
	watcher *watch.FakeWatcher
	rv      int
}

func (s *source) List(metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &corev1.List{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(s.rv)}}
	for i := range 10 {
		list.Items = append(list.Items, runtime.RawExtension{Object: s.kind(fmt.Sprint("item-", i), i+1)})
	}
	return list, nil
}

func (s *source) Watch(o metav1.ListOptions) (watch.Interface, error) {
	if o.SendInitialEvents != nil {
		return nil, errors.New("only lists begin here")
	}
	return s.watcher, nil
}

// IsWatchListSemanticsUnSupported is asked by client-go.
func (s *source) IsWatchListSemanticsUnSupported() bool { return true }

func newSource(kind func(string, int) runtime.Object) *source {
	return &source{kind: kind, watcher: watch.NewFakeWithChanSize(1<<10, false), rv: 10}
}

func configMap(name string, rv int) runtime.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", ResourceVersion: strconv.Itoa(rv)},
		Data: map[string]string{"version": strconv.Itoa(rv)}}
}

func account(name string, rv int) runtime.Object {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", ResourceVersion: strconv.Itoa(rv)}}
}

func main() {
	ctx, end := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer end()
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	p := probe.New(probe.Options{Objects: []schema.GroupVersionResource{configMaps}})
	maps, accounts := newSource(configMap), newSource(account)
	informer, err := p.Informer(configMaps, cache.NewSharedIndexInformer(maps, &corev1.ConfigMap{}, 0, cache.Indexers{}))
	if err != nil {
		panic(err)
	}
	others, err := p.Informer(corev1.SchemeGroupVersion.WithResource("serviceaccounts"),
		cache.NewSharedIndexInformer(accounts, &corev1.ServiceAccount{}, 0, cache.Indexers{}))
	if err != nil {
		panic(err)
	}
	lister := corelisters.NewConfigMapLister(informer.GetIndexer())
	queue := probe.NewQueue[string](p, probe.QueueOptions{})("configmaps", workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour))
	enqueue := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			queue.Add(key)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) { enqueue(obj) }}); err != nil {
		panic(err)
	}
	held := sync.RWMutex{} // workers read it, who holds them writes it
	for range 2 {
		go func() {
			for {
				key, down := queue.Get()
				if down {
					return
				}
				_, name, _ := cache.SplitMetaNamespaceKey(key)
				_, err := lister.ConfigMaps("shop").Get(name)
				held.RLock()
				held.RUnlock()
				if name == "item-9" || err != nil { // which always fails
					queue.AddRateLimited(key)
				} else {
					queue.Forget(key)
				}
				queue.Done(key)
			}
		}()
	}
	go informer.Run(ctx.Done())
	go others.Run(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced, others.HasSynced)

	mux := http.NewServeMux()
	mux.Handle("/debug/informerscope/", p.Handler())
	mux.HandleFunc("/change", func(_ http.ResponseWriter, r *http.Request) {
		maps.mu.Lock()
		defer maps.mu.Unlock()
		maps.rv++
		maps.watcher.Modify(configMap(r.URL.Query().Get("name"), maps.rv))
	})
	mux.HandleFunc("/hold", func(http.ResponseWriter, *http.Request) { held.Lock() })
	mux.HandleFunc("/let", func(http.ResponseWriter, *http.Request) { held.Unlock() })
	listener, err := net.Listen("tcp", os.Args[2])
	if err != nil {
		panic(err)
	}
	server := &http.Server{Handler: mux}
	go func() { <-ctx.Done(); server.Close() }()
	fmt.Println("http://" + listener.Addr().String())
	_ = server.Serve(listener)
}
