// Command probed is an ordinary controller with a probe in it. The test builds it with one client-go after another.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe"
)

// counting is a handler that only counts.
type counting struct {
	n     *atomic.Int64
	sleep *atomic.Int64
}

func (c counting) OnAdd(any, bool)   { c.count() }
func (c counting) OnUpdate(_, _ any) { c.count() }
func (c counting) OnDelete(any)      { c.count() }
func (c counting) count()            { time.Sleep(time.Duration(c.sleep.Load())); c.n.Add(1) }

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	p := probe.New(probe.Options{})
	cfg = p.WrapConfig(cfg)
	untyped, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	heads, err := metadata.NewForConfig(cfg)
	if err != nil {
		return err
	}

	v1 := schema.GroupVersion{Version: "v1"}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(untyped, 0)
	maps := factory.ForResource(v1.WithResource("configmaps")).Informer()
	secrets := factory.ForResource(v1.WithResource("secrets")).Informer()
	headFactory := metadatainformer.NewSharedInformerFactory(heads, 0)
	namespaces := headFactory.ForResource(v1.WithResource("namespaces")).Informer()

	queue := probe.NewQueue[string](p, probe.QueueOptions{})("configmaps", workqueue.DefaultTypedControllerRateLimiter[string]())
	defer queue.ShutDown()
	enqueue := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			queue.Add(key)
		}
	}
	if _, err := maps.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) },
		DeleteFunc: enqueue}); err != nil {
		return err
	}
	var handled, late, sleep atomic.Int64
	if _, err := maps.AddEventHandler(counting{&handled, &sleep}); err != nil {
		return err
	}
	for _, f := range []any{factory, headFactory} {
		if _, err := p.Factory(f); err != nil {
			return err
		}
	}
	seen, err := p.Informer(v1.WithResource("configmaps"), maps) // of those that are added through it, later handlers are seen too
	if err != nil {
		return err
	}

	var workers sync.WaitGroup
	workers.Add(1)
	go func() {
		defer workers.Done()
		for {
			key, down := queue.Get()
			if down {
				return
			}
			queue.Forget(key)
			queue.Done(key)
		}
	}()

	mux := http.NewServeMux()
	mux.Handle("/debug/informerscope/", p.Handler())
	informers := map[string]cache.SharedIndexInformer{"configmaps": maps, "secrets": secrets, "namespaces": namespaces}
	mux.HandleFunc("/store", func(w http.ResponseWriter, r *http.Request) {
		out := map[string]map[string]string{}
		for name, inf := range informers {
			out[name] = map[string]string{}
			for _, obj := range inf.GetStore().List() {
				m, err := meta.Accessor(obj)
				if err != nil {
					http.Error(w, err.Error(), http.StatusInternalServerError)
					return
				}
				key, _ := cache.MetaNamespaceKeyFunc(obj)
				out[name][key] = m.GetResourceVersion()
			}
		}
		answer(w, out)
	})
	mux.HandleFunc("/note", func(_ http.ResponseWriter, r *http.Request) { p.Note(r.URL.Query().Get("text")) })
	mux.HandleFunc("/state", func(w http.ResponseWriter, r *http.Request) {
		stacks := make([]byte, 8<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		probing := bytes.Count(stacks, []byte("example.org/informerscope/probe.(*Probe)."))
		answer(w, map[string]int64{"probing": int64(probing), "handled": handled.Load(), "late": late.Load()})
	})
	mux.HandleFunc("/sleep", func(_ http.ResponseWriter, r *http.Request) {
		d, _ := time.ParseDuration(r.URL.Query().Get("for"))
		sleep.Store(int64(d))
	})
	// controller-runtime adds its handlers late, and since 0.33 by a method that older releases have not.
	mux.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
		h := counting{&late, new(atomic.Int64)}
		if m := reflect.ValueOf(seen).MethodByName("AddEventHandlerWithOptions"); m.IsValid() && m.Type().In(1).Name() == "HandlerOptions" {
			m.Call([]reflect.Value{reflect.ValueOf(h), reflect.Zero(m.Type().In(1))})
			return
		}
		if _, err := seen.AddEventHandler(h); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	// Since client-go 0.38 a queue can pause.
	mux.HandleFunc("/pause", func(w http.ResponseWriter, r *http.Request) {
		pausable, ok := queue.(interface {
			Pause()
			Resume()
		})
		if !ok {
			http.Error(w, "this queue cannot pause", http.StatusNotImplemented)
			return
		}
		if r.URL.Query().Get("on") == "true" {
			pausable.Pause()
		} else {
			pausable.Resume()
		}
	})
	mux.HandleFunc("/start", func(http.ResponseWriter, *http.Request) {
		factory.Start(ctx.Done())
		headFactory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		headFactory.WaitForCacheSync(ctx.Done())
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: mux}
	go func() { <-ctx.Done(); srv.Close() }()
	fmt.Println("http://" + l.Addr().String())
	_ = srv.Serve(l)
	factory.Shutdown()
	headFactory.Shutdown()
	queue.ShutDown()
	workers.Wait()
	return nil
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
