// Command faultycontroller is an ordinary controller of client-go with a probe in it. -fault switches a fault on.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe"
)

var (
	fault     = flag.String("fault", "", "slow, handlers, mutate, cut or silent; empty: none")
	namespace = flag.String("namespace", "default", "the namespace that it watches")
)

// begun says that the fault is on: the test switches it on when something is attached.
var begun atomic.Bool

func has(name string) bool { return *fault == name && begun.Load() }

// conn is a connection that a device on its way cuts, or forgets.
type conn struct {
	net.Conn
	old bool // it was there before the fault
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for c.old && has("silent") {
		if n, err = c.Conn.Read(b); err != nil {
			break
		}
	}
	return n, err
}

// audit is a handler that does its work itself.
type audit struct{}

func (audit) OnAdd(any, bool)   { work() }
func (audit) OnUpdate(_, _ any) { work() }
func (audit) OnDelete(any)      {}

func work() {
	if has("slow") {
		time.Sleep(300 * time.Millisecond)
	}
}

// mail is a handler that a reconcile adds.
type mail struct{}

func (mail) OnAdd(any, bool)   {}
func (mail) OnUpdate(_, _ any) {}
func (mail) OnDelete(any)      {}

// defaulter fills in what an object lacks.
type defaulter struct{}

func (defaulter) OnAdd(any, bool) {}
func (defaulter) OnDelete(any)    {}
func (defaulter) OnUpdate(_, obj any) {
	if cm := obj.(*corev1.ConfigMap); has("mutate") && cm.Immutable == nil {
		never := false
		cm.Immutable = &never
	}
}

func main() {
	flag.Parse()
	if err := run(flag.Arg(0)); err != nil {
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
	var dialer net.Dialer
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if *fault == "cut" {
			time.AfterFunc(4*time.Second, func() { c.Close() })
		}
		return &conn{Conn: c, old: !begun.Load()}, nil
	}
	configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
	p := probe.New(probe.Options{Objects: []schema.GroupVersionResource{configMaps}})
	client, err := kubernetes.NewForConfig(p.WrapConfig(cfg))
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(*namespace))
	inf, err := p.Informer(configMaps, factory.Core().V1().ConfigMaps().Informer())
	if err != nil {
		return err
	}
	queue := probe.NewQueue[string](p, probe.QueueOptions{})("configmaps", workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			queue.Add(key)
		}
	}
	for _, h := range []cache.ResourceEventHandler{cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) },
		DeleteFunc: enqueue}, audit{}, defaulter{}} {
		if _, err := inf.AddEventHandler(h); err != nil {
			return err
		}
	}
	mails := 0
	reconcile := func(ctx context.Context, key string) error {
		_, _, err := inf.GetIndexer().GetByKey(key)
		if has("handlers") && mails < 100 {
			mails++
			_, err = inf.AddEventHandler(mail{})
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	go func() {
		for {
			key, down := queue.Get()
			if down {
				return
			}
			ctx, done := p.Reconcile(ctx, key)
			done(reconcile(ctx, key))
			queue.Forget(key)
			queue.Done(key)
		}
	}()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return serve(ctx, p)
}

func serve(ctx context.Context, p *probe.Probe) error {
	mux := http.NewServeMux()
	mux.Handle("/debug/informerscope/", p.Handler())
	mux.HandleFunc("/begin", func(http.ResponseWriter, *http.Request) { begun.Store(true) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: mux}
	go func() { <-ctx.Done(); srv.Close() }()
	fmt.Println("http://" + l.Addr().String())
	_ = srv.Serve(l)
	return nil
}
