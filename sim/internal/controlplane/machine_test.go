package controlplane_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditapi "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	"informerscope/sim/internal/controlplane"
)

type noAudit struct{}

func (noAudit) ProcessEvents(...*auditapi.Event) bool { return true }

var errClosed = errors.New("not asked yet")

// TestMachine does to the processes of a cluster what the levers do, and sees it as a client. An API server lags behind, the history is compacted, and the
// API server starts again. At the end none of their goroutines is left.
func TestMachine(t *testing.T) {
	ctx := t.Context()
	before := runtime.NumGoroutine()
	c, err := controlplane.Start(ctx, controlplane.Options{Controllers: []string{}, Speed: 1, Audit: noAudit{}, Logs: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	create := func(name string) uint64 {
		t.Helper()
		made, err := client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var version uint64
		if _, err := fmt.Sscan(made.ResourceVersion, &version); err != nil {
			t.Fatal(err)
		}
		return version
	}
	list := func(version string) (int, error) {
		var found corev1.ConfigMapList
		err := errClosed
		for range 2 { // a client finds out at its next request that its connection was closed
			if err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
				break
			}
			err = client.CoreV1().RESTClient().Get().Namespace("default").Resource("configmaps").Param("resourceVersion", version).MaxRetries(0).Do(ctx).Into(&found)
		}
		return len(found.Items), err
	}
	expired := func(version uint64) error {
		w, err := client.CoreV1().ConfigMaps("").Watch(ctx, metav1.ListOptions{ResourceVersion: fmt.Sprint(version), TimeoutSeconds: ptr.To(int64(1))})
		if err != nil {
			return err
		}
		defer w.Stop()
		for e := range w.ResultChan() {
			if status, ok := e.Object.(*metav1.Status); ok {
				return &apierrors.StatusError{ErrStatus: *status}
			}
		}
		return nil
	}

	first := create("first")
	for i := range 5 {
		create(fmt.Sprint("more-", i))
	}
	newest := create("newest")
	all, err := list("")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.FailOver(ctx, c.Revision()-first); err != nil {
		t.Fatal(err)
	}
	if n, err := list("0"); err != nil || n != all-6 {
		t.Errorf("the cache of the API server that lags behind has %d configmaps, %v, want %d", n, err, all-6)
	}
	if n, err := list(""); err != nil || n != all {
		t.Errorf("a list without a version has %d configmaps, %v, want %d", n, err, all)
	}
	if _, err := list(fmt.Sprint(newest)); !apierrors.IsTimeout(err) {
		t.Errorf("a list from a version that it does not have yet: %v", err)
	}
	if err := c.FailOver(ctx, c.Revision()+1); err == nil {
		t.Error("an API server was behind by more versions than there are")
	}
	if n, err := list(""); err != nil || n != all {
		t.Errorf("after a fail-over that cannot be, a list has %d configmaps, %v, want %d", n, err, all)
	}
	if err := c.FailOver(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if second, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig()); err != nil || second.Host != config.Host {
		t.Errorf("the kubeconfig names %v, %v, want %s still", second, err, config.Host)
	}
	if n, err := list("0"); err != nil || n != all {
		t.Errorf("the first API server has %d configmaps, %v, want %d", n, err, all)
	}

	for range 2 { // the second time there is nothing to drop
		if err := c.Compact(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.FailOver(ctx, 3); err == nil {
		t.Error("an API server was behind by versions that are compacted")
	}
	if err := expired(first); err != nil {
		t.Errorf("the watch cache has forgotten what etcd did: %v", err)
	}
	for range 2 {
		if err := c.Restart(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := expired(first); !apierrors.IsResourceExpired(err) {
		t.Errorf("a watch from before the compaction: %v, want 410 Expired", err)
	}
	if n, err := list("0"); err != nil || n != all {
		t.Errorf("after the restart there are %d configmaps, %v, want %d", n, err, all)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-c.Failure():
		t.Errorf("a component failed: %v", err)
	default:
	}
	// What Kubernetes' own goroutines wait for ends within a second.
	deadline := time.After(10 * time.Second)
	for tick := time.NewTicker(50 * time.Millisecond); runtime.NumGoroutine() > before+10; {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d goroutines are left of %d API servers", runtime.NumGoroutine()-before, 4)
		}
	}
}
