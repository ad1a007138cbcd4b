// Command probedcr is a controller of controller-runtime with a probe in it. The test builds it with one release after another.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.org/informerscope/probe"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	log.SetLogger(logr.Discard())
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	p := probe.New(probe.Options{})
	mgr, err := ctrl.NewManager(p.WrapConfig(cfg), ctrl.Options{Metrics: server.Options{BindAddress: "0"}, Cache: cache.Options{NewInformer: p.NewInformer}})
	if err != nil {
		return err
	}
	var reconciled atomic.Int64
	err = ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Named("maps").Complete(
		reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			var cm corev1.ConfigMap
			err := mgr.GetClient().Get(ctx, r.NamespacedName, &cm)
			reconciled.Add(1)
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/informerscope/", p.Handler())
	mux.HandleFunc("/state", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]int64{"reconciled": reconciled.Load()})
	})
	mux.HandleFunc("/note", func(_ http.ResponseWriter, r *http.Request) { p.Note(r.URL.Query().Get("text")) })
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
