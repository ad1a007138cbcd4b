// Command faultyoperator is an ordinary operator of controller-runtime with a probe in it. -fault switches a fault on.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.org/informerscope/probe"
	"example.org/informerscope/probe/controllerruntime"
)

var (
	fault     = flag.String("fault", "", "status, twice, silent or starved; empty: none")
	namespace = flag.String("namespace", "default", "the namespace that it watches")
)

// begun says that the fault is on: the test switches it on when something is attached.
var begun atomic.Bool

func has(name string) bool { return *fault == name && begun.Load() }

func main() {
	flag.Parse()
	if err := run(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// lagging is a transport whose watches of ConfigMaps bring everything late, or nothing.
type lagging struct{ http.RoundTripper }

func (l lagging) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil && strings.HasSuffix(r.URL.Path, "/configmaps") && r.URL.Query().Get("watch") != "" {
		resp.Body = lateBody{resp.Body}
	}
	return resp, err
}

type lateBody struct{ io.ReadCloser }

func (b lateBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if has("twice") {
		time.Sleep(1500 * time.Millisecond)
	}
	for err == nil && has("silent") { // what comes is lost on the way
		n, err = b.ReadCloser.Read(p)
	}
	return n, err
}

// urgent is the priority of all ConfigMaps that the fault "starved" enqueues.
var urgent = 10

func run(kubeconfig string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	log.SetLogger(logr.Discard())
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	cfg.QPS, cfg.Burst = -1, 0
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return lagging{rt} })
	p := probe.New(probe.Options{})
	mgr, err := ctrl.NewManager(p.WrapConfig(cfg), ctrl.Options{Metrics: server.Options{BindAddress: "0"},
		Cache: cache.Options{NewInformer: p.NewInformer, DefaultNamespaces: map[string]cache.Config{*namespace: {}}}})
	if err != nil {
		return err
	}
	b := ctrl.NewControllerManagedBy(mgr).For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{NewQueue: controllerruntime.NewQueue(p, controllerruntime.QueueOptions{})})
	if *fault == "starved" {
		b = b.Watches(&corev1.ConfigMap{}, handler.Funcs{CreateFunc: func(_ context.Context, e event.CreateEvent,
			q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{Priority: &urgent},
				reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)})
		}})
	}
	if err := b.Complete(controllerruntime.Reconciler(p, &reconciler{mgr.GetClient()})); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/informerscope/", p.Handler())
	mux.HandleFunc("/begin", func(http.ResponseWriter, *http.Request) { begun.Store(true) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: mux}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	fmt.Println("http://" + l.Addr().String())
	err = mgr.Start(ctx)
	srv.Close()
	<-done
	return err
}

type reconciler struct{ client.Client }

// Reconcile gives each generation of a Deployment a ConfigMap, and writes into its status that it has seen it.
func (r *reconciler) Reconcile(ctx context.Context, q reconcile.Request) (reconcile.Result, error) {
	if *fault == "starved" && strings.HasPrefix(q.Name, "urgent-") {
		time.Sleep(5 * time.Millisecond)
		return reconcile.Result{RequeueAfter: time.Millisecond}, nil
	}
	var d appsv1.Deployment
	if err := r.Get(ctx, q.NamespacedName, &d); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.child(ctx, &d); err != nil {
		return reconcile.Result{}, err
	}
	before := d.DeepCopy()
	d.Status.ObservedGeneration = d.Generation
	if has("status") {
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
			Message: "seen at " + time.Now().Format(time.RFC3339Nano)}}
	}
	if has("status") || before.Status.ObservedGeneration != d.Generation {
		if err := r.Status().Patch(ctx, &d, client.MergeFrom(before)); err != nil {
			return reconcile.Result{}, err
		}
	}
	if has("twice") {
		return reconcile.Result{RequeueAfter: 300 * time.Millisecond}, nil
	}
	return reconcile.Result{}, nil
}

// child makes the ConfigMap of the Deployment's generation unless there is one. With the fault "twice" the API server names it.
func (r *reconciler) child(ctx context.Context, d *appsv1.Deployment) error {
	name := fmt.Sprintf("%s-%d", d.Name, d.Generation)
	var all corev1.ConfigMapList
	if err := r.List(ctx, &all, client.InNamespace(d.Namespace), client.MatchingLabels{"of": name}); err != nil {
		return err
	}
	if len(all.Items) > 0 {
		return nil
	}
	yes := true
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: name, Labels: map[string]string{"of": name},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: d.Name, UID: types.UID(d.UID), Controller: &yes}}}}
	if has("twice") {
		cm.Name, cm.GenerateName = "", name+"-"
	}
	return client.IgnoreAlreadyExists(r.Create(ctx, cm))
}
