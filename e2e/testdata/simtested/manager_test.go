// Package simtested tests a controller of controller-runtime on simtest, as docs/simtest.md says.
package simtested

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.org/informerscope/simtest"
)

func init() { log.SetLogger(logr.Discard()) }

// copier keeps an annotation equal to a config map's value.
type copier struct{ client.Client }

func (c copier) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	var m corev1.ConfigMap
	if err := c.Get(ctx, r.NamespacedName, &m); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if m.Data["value"] == "" || m.Annotations["example.com/value"] == m.Data["value"] {
		return reconcile.Result{}, nil
	}
	metav1.SetMetaDataAnnotation(&m.ObjectMeta, "example.com/value", m.Data["value"])
	return reconcile.Result{}, c.Update(ctx, &m)
}

func TestManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := simtest.Start(t, simtest.Options{Seed: 7})
		mgr, err := manager.New(c.Config(), manager.Options{Metrics: server.Options{BindAddress: "0"}, Cache: cache.Options{NewInformer: c.NewInformer}})
		if err != nil {
			t.Fatal(err)
		}
		if err := builder.ControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Complete(copier{mgr.GetClient()}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- mgr.Start(ctx) }()

		user := kubernetes.NewForConfigOrDie(c.UserConfig()).CoreV1().ConfigMaps("default")
		expect := func(value string) {
			t.Helper()
			time.Sleep(time.Minute) // on synctest's clock
			if m, err := user.Get(t.Context(), "a", metav1.GetOptions{}); err != nil || m.Annotations["example.com/value"] != value {
				t.Errorf("the controller wrote %v, %v, want %s", m.Annotations, err, value)
			}
		}
		m, err := user.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"value": "1"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		expect("1")
		c.CutWatches()
		c.Compact()
		if m, err = user.Get(t.Context(), m.Name, metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
		m.Data["value"] = "2"
		if _, err := user.Update(t.Context(), m, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		expect("2")
		c.AssertReadsOwnWrites()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
