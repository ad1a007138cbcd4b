// Command controller makes controller.trace.gz: what a probe sees for 25 s in a controller of pods, made with client-go, on a simulated cluster.
// It is a module of its own, as a controller with a probe is:
//
//	go mod init controller
//	go mod edit -go=1.26 -require=k8s.io/client-go@v0.37.2 -require=informerscope@v0.0.0 -require=example.org/informerscope/probe@v0.0.0
//	go mod edit -replace=informerscope=CHECKOUT -replace=example.org/informerscope/probe=CHECKOUT/probe
//	go mod tidy && go run . | gzip -9n > CHECKOUT/e2e/pictures/testdata/controller.trace.gz
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe"
	"informerscope/core/cluster/simcluster"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// enqueuer puts the key of each change into the work queue.
type enqueuer struct {
	queue workqueue.TypedRateLimitingInterface[string]
}

func (e enqueuer) OnAdd(obj any, _ bool) { e.add(obj) }
func (e enqueuer) OnUpdate(_, obj any)   { e.add(obj) }
func (e enqueuer) OnDelete(obj any)      { e.add(obj) }
func (e enqueuer) add(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		e.queue.Add(key)
	}
}

// `mailer` is a slow handler: it does its work itself, in the handler.
type mailer struct{}

func (mailer) OnAdd(any, bool)   {}
func (mailer) OnUpdate(_, _ any) { time.Sleep(140 * time.Millisecond) }
func (mailer) OnDelete(any)      {}

func run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cluster := simcluster.New(simcluster.Options{Seed: 7, Objects: 180, Rate: 12})
	go cluster.Run(ctx)
	api := httptest.NewServer(cluster)
	p := probe.New(probe.Options{})
	client, err := kubernetes.NewForConfig(p.WrapConfig(&rest.Config{Host: api.URL}))
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	queue := probe.NewQueue[string](p, probe.QueueOptions{})("pods", workqueue.DefaultTypedControllerRateLimiter[string]())
	for _, h := range []cache.ResourceEventHandler{enqueuer{queue}, mailer{}} {
		if _, err := pods.Informer().AddEventHandler(h); err != nil {
			return err
		}
	}
	if _, err := p.Factory(factory); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/informerscope/", p.Handler())
	debug := httptest.NewServer(mux)
	resp, err := http.Get(debug.URL + "/debug/informerscope/trace?seconds=25")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for range 2 {
		go work(queue, func(namespace, name string) { _, _ = pods.Lister().Pods(namespace).Get(name) })
	}
	_, err = io.Copy(os.Stdout, resp.Body)
	return err
}

// work takes a key, reads the lister, and works for a while.
func work(queue workqueue.TypedRateLimitingInterface[string], read func(namespace, name string)) {
	for {
		key, down := queue.Get()
		if down {
			return
		}
		if namespace, name, err := cache.SplitMetaNamespaceKey(key); err == nil {
			read(namespace, name)
		}
		time.Sleep(60 * time.Millisecond)
		queue.Forget(key)
		queue.Done(key)
	}
}
