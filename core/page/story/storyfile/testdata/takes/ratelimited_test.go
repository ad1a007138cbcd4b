package take

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const objects = 5000

func pod(n int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("a", n)}}
}

// TestHandlersAddAtOnce: all keys are in the queue when the handler has returned, each once, and no failure is counted.
func TestHandlersAddAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
		defer queue.ShutDown()
		handler := handlers(queue)
		for n := range objects {
			handler.OnAdd(pod(n), true)
		}
		handler.OnUpdate(pod(0), pod(1))
		handler.OnDelete(pod(2))
		handler.OnDelete(cache.DeletedFinalStateUnknown{Key: "ns/gone", Obj: pod(3)})
		if queue.Len() != objects+1 || queue.NumRequeues("ns/a1") != 0 {
			t.Errorf("%d keys, %d failures counted", queue.Len(), queue.NumRequeues("ns/a1"))
		}
	})
}

// TestAddRateLimitedHoldsBack: with AddRateLimited in its place, a hundred are there at once, and the last comes after 490 seconds.
func TestAddRateLimitedHoldsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
		defer queue.ShutDown()
		for n := range objects {
			queue.AddRateLimited(pod(n).Name)
		}
		for _, at := range []struct {
			after time.Duration
			keys  int
		}{{50 * time.Millisecond, 100}, {10 * time.Second, 200}, {479 * time.Second, 4990}, {time.Second, objects}} {
			<-time.After(at.after) // of the bubble's clock
			synctest.Wait()
			if queue.Len() != at.keys {
				t.Errorf("%d keys after another %v, want %d", queue.Len(), at.after, at.keys)
			}
		}
	})
}
