package take

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// TestHandleUntil: a handler gets the store and each change while its context lasts, and nothing afterwards. An informer that has stopped refuses it.
func TestHandleUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
		informer := cache.NewSharedIndexInformer(&cache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return &corev1.PodList{}, nil },
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return stream, nil
			},
		}, &corev1.Pod{}, 0, nil)
		pod := func(version string, annotations map[string]string) *corev1.Pod {
			return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", ResourceVersion: version, Annotations: annotations}}
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			informer.RunWithContext(ctx)
			close(done)
		}()
		stream.Add(pod("1", nil))
		stream.Action(watch.Bookmark, pod("2", map[string]string{metav1.InitialEventsAnnotationKey: "true"}))
		synctest.Wait()
		tenant, leave := context.WithCancel(t.Context())
		added, updated := 0, 0
		handler := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { added++ }, UpdateFunc: func(any, any) { updated++ }}
		if err := handleUntil(tenant, informer, handler); err != nil {
			t.Fatal(err)
		}
		stream.Modify(pod("3", nil))
		synctest.Wait()
		if added != 1 || updated != 1 {
			t.Errorf("while its context lasts it got %d adds and %d updates", added, updated)
		}
		leave()
		synctest.Wait()
		stream.Modify(pod("4", nil))
		synctest.Wait()
		if added != 1 || updated != 1 {
			t.Errorf("afterwards it has got %d adds and %d updates", added, updated)
		}
		cancel()
		<-done
		if err := handleUntil(t.Context(), informer, handler); err == nil {
			t.Error("an informer that has stopped takes it")
		}
	})
}
