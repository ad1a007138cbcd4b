// Command attached is a controller like sample-controller: an informer, a work queue, a worker that reads the lister. It has no probe; the test adds
// the lines of the README.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

// Controller reconciles ConfigMaps.
type Controller struct {
	lister cache.GenericLister
	synced []cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
	held   chan struct{} // closed once the auditor's handler may go on
}

// NewController registers the handlers.
func NewController(factory dynamicinformer.DynamicSharedInformerFactory, resource, other schema.GroupVersionResource) (*Controller, error) {
	informer := factory.ForResource(resource)
	c := &Controller{lister: informer.Lister(), held: make(chan struct{}),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())}
	enqueue := func(obj any) {
		if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
			c.queue.Add(name)
		}
	}
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) },
		DeleteFunc: enqueue})
	if err != nil {
		return nil, err
	}
	// A handler that sleeps, as people write them: what comes meanwhile waits in its ring.
	_, err = informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { <-c.held }})
	c.synced = append(c.synced, informer.Informer().HasSynced, factory.ForResource(other).Informer().HasSynced)
	return c, err
}

// Run works until ctx ends.
func (c *Controller) Run(ctx context.Context) {
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return
	}
	go wait.UntilWithContext(ctx, c.work, time.Second)
	<-ctx.Done()
}

func (c *Controller) work(context.Context) {
	for {
		name, down := c.queue.Get()
		if down {
			return
		}
		if _, err := c.lister.ByNamespace(name.Namespace).Get(name.Name); err == nil {
			c.queue.Forget(name)
		}
		c.queue.Done(name)
	}
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, metav1.NamespaceAll, nil)
	v1 := schema.GroupVersion{Version: "v1"}
	c, err := NewController(factory, v1.WithResource("configmaps"), v1.WithResource("namespaces"))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	var begun atomic.Bool
	mux.HandleFunc("/begin", func(http.ResponseWriter, *http.Request) {
		if begun.CompareAndSwap(false, true) {
			factory.Start(ctx.Done())
			go c.Run(ctx)
		}
	})
	mux.HandleFunc("/wake", func(http.ResponseWriter, *http.Request) { close(c.held) })
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux}
	go func() { <-ctx.Done(); server.Close() }()
	fmt.Println("http://" + listener.Addr().String())
	_ = server.Serve(listener)
	return nil
}
