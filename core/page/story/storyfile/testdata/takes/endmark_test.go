package take

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// TestAlertWhenStale relists from a server that withholds the mark at the end of a list. HasSynced stays true, and the alert comes.
func TestAlertWhenStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		streams := make(chan *watch.FakeWatcher)
		informer := cache.NewSharedIndexInformer(&cache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
				t.Error("the informer lists")
				return &corev1.PodList{}, nil
			},
			WatchFuncWithContext: func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
				stream := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
				select {
				case streams <- stream:
				case <-ctx.Done():
				}
				return stream, nil
			},
		}, &corev1.Pod{}, 0, nil)
		pod := func(version string, annotations map[string]string) *corev1.Pod {
			return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", ResourceVersion: version, Annotations: annotations}}
		}
		done := make(chan struct{})
		go func() {
			informer.RunWithContext(ctx)
			close(done)
		}()
		stream := <-streams
		stream.Add(pod("1", nil))
		stream.Action(watch.Bookmark, pod("2", map[string]string{metav1.InitialEventsAnnotationKey: "true"}))
		var alerts []time.Duration
		go alertWhenStale(ctx, informer, 3*time.Minute, func(stood time.Duration) { alerts = append(alerts, stood) })
		for _, version := range []string{"3", "4", "5", "6", "7"} {
			<-time.After(time.Minute) // of the bubble's clock
			stream.Action(watch.Bookmark, pod(version, nil))
		}
		synctest.Wait()
		if len(alerts) > 0 || !informer.HasSynced() {
			t.Errorf("on a quiet watch: alerts %v, synced %t", alerts, informer.HasSynced())
		}
		stream.Error(&metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
		stream = <-streams
		stream.Add(pod("8", nil))
		<-time.After(5 * time.Minute)
		synctest.Wait()
		if len(alerts) == 0 || !informer.HasSynced() {
			t.Errorf("without the mark: alerts %v, synced %t", alerts, informer.HasSynced())
		}
		cancel()
		<-done
	})
}
