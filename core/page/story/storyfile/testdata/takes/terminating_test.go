package take

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

// server is as much of an API server as a reconcile needs. Like a real one it deletes a pod when an update takes the last finalizer off.
type server struct {
	corev1client.PodInterface
	stream  *watch.FakeWatcher
	updates int
}

func (s *server) Pods(string) corev1client.PodInterface { return s }

func (s *server) Update(_ context.Context, pod *corev1.Pod, _ metav1.UpdateOptions) (*corev1.Pod, error) {
	if s.updates++; len(pod.Finalizers) == 0 && pod.DeletionTimestamp != nil {
		s.stream.Delete(pod)
	} else {
		s.stream.Modify(pod)
	}
	return pod, nil
}

// TestReconcile deletes a pod whose clean-up fails at first. OnDelete comes after the clean-up, when reconcile has removed the finalizer.
func TestReconcile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{stream: watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})}
		informer := cache.NewSharedIndexInformer(&cache.ListWatch{
			ListWithContextFunc:  func(context.Context, metav1.ListOptions) (runtime.Object, error) { return &corev1.PodList{}, nil },
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return s.stream, nil },
		}, &corev1.Pod{}, 0, nil)
		updates, deletes, cleanUps := 0, 0, 0
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			UpdateFunc: func(any, any) { updates++ },
			DeleteFunc: func(any) { deletes++ },
		}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			informer.RunWithContext(ctx)
			close(done)
		}()
		failure := errors.New("the DNS server does not answer")
		work := func(fails error) error {
			t.Helper()
			synctest.Wait()
			held, ok, err := informer.GetIndexer().GetByKey("ns/a")
			if err != nil || !ok {
				t.Fatalf("the store has no pod: %v", err)
			}
			return reconcile(ctx, s, held.(*corev1.Pod), func() error {
				if fails == nil {
					cleanUps++
				}
				return fails
			})
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", ResourceVersion: "1", Finalizers: []string{ours}}}
		s.stream.Add(pod.DeepCopy())
		s.stream.Action(watch.Bookmark, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "2",
			Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}})
		if err := work(nil); err != nil || cleanUps != 0 || s.updates != 0 {
			t.Errorf("of a pod that stays: %v, %d clean-ups, %d updates", err, cleanUps, s.updates)
		}
		pod.ResourceVersion, pod.DeletionTimestamp = "3", &metav1.Time{Time: time.Now()}
		s.stream.Modify(pod.DeepCopy())
		if err := work(failure); !errors.Is(err, failure) || s.updates != 0 {
			t.Errorf("the clean-up fails: %v, %d updates", err, s.updates)
		}
		<-time.After(time.Hour) // of the bubble's clock
		if updates != 1 || deletes != 0 {
			t.Errorf("an hour later: %d calls of OnUpdate, %d of OnDelete", updates, deletes)
		}
		if err := work(nil); err != nil || cleanUps != 1 || s.updates != 1 {
			t.Errorf("the clean-up: %v, %d clean-ups, %d updates", err, cleanUps, s.updates)
		}
		synctest.Wait()
		if updates != 1 || deletes != 1 {
			t.Errorf("at the end: %d calls of OnUpdate, %d of OnDelete", updates, deletes)
		}
		cancel()
		<-done
	})
}
