package take

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

// server is as much of an API server as a reconcile needs: it has one pod, or none, or fails.
type server struct {
	corev1client.PodInterface
	pod   *corev1.Pod
	fails error
}

func (s *server) Pods(string) corev1client.PodInterface { return s }

func (s *server) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Pod, error) {
	switch {
	case s.fails != nil:
		return nil, s.fails
	case s.pod == nil:
		return nil, apierrors.NewNotFound(corev1.Resource("pods"), name)
	}
	return s.pod, nil
}

// TestReconcileMissing works on the keys of OnDelete behind a label selector. The clean-up runs only when the pod is gone.
func TestReconcileMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", ResourceVersion: "1", Labels: map[string]string{"tier": "backend"}}}
		s := &server{pod: pod}
		stream := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
		informer := cache.NewSharedIndexInformer(&cache.ListWatch{
			ListWithContextFunc:  func(context.Context, metav1.ListOptions) (runtime.Object, error) { return &corev1.PodList{}, nil },
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return stream, nil },
		}, &corev1.Pod{}, 0, nil)
		var keys []string
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
			if err != nil {
				t.Error(err)
			}
			keys = append(keys, key)
		}}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			informer.RunWithContext(ctx)
			close(done)
		}()
		stream.Add(pod.DeepCopy())
		stream.Action(watch.Bookmark, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "2",
			Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}})
		last := pod.DeepCopy()
		last.ResourceVersion, pod.Labels = "3", nil
		stream.Delete(last) // what an API server sends to a WATCH with the selector tier=backend
		synctest.Wait()
		if len(keys) != 1 || keys[0] != "ns/a" || len(informer.GetStore().ListKeys()) != 0 {
			t.Fatalf("OnDelete of %v, the store has %v", keys, informer.GetStore().ListKeys())
		}
		cleanUps := 0
		work := func(srv *server) error {
			return reconcileMissing(ctx, srv, keys[0], func() error {
				cleanUps++
				return nil
			})
		}
		if err := work(s); err != nil || cleanUps != 0 {
			t.Errorf("of a pod that exists: %v, %d clean-ups", err, cleanUps)
		}
		failure := apierrors.NewTimeoutError("the API server does not answer", 1)
		if err := work(&server{fails: failure}); !errors.Is(err, failure) || cleanUps != 0 {
			t.Errorf("without an answer: %v, %d clean-ups", err, cleanUps)
		}
		if err := work(&server{}); err != nil || cleanUps != 1 {
			t.Errorf("of a pod that is gone: %v, %d clean-ups", err, cleanUps)
		}
		cancel()
		<-done
	})
}

// TestAFilterHasTheSameTrap: behind a FilteringResourceEventHandler an update is OnDelete, of an object that the store has.
func TestAFilterHasTheSameTrap(t *testing.T) {
	deletes := 0
	h := cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool { return obj.(*corev1.Pod).Labels["tier"] == "backend" },
		Handler:    cache.ResourceEventHandlerFuncs{DeleteFunc: func(any) { deletes++ }},
	}
	h.OnUpdate(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"tier": "backend"}}}, &corev1.Pod{})
	if deletes != 1 {
		t.Errorf("%d calls of OnDelete", deletes)
	}
}
