package life

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// calmRate is the rate, in writes a second, up to which pods come and go more often; of a thousand writes, calmEnds and busyEnds are deletions.
	calmRate = 50
	calmEnds = 40
	busyEnds = 5
	// burst is for how long the background makes up for time in which the API was slow.
	burst = 100 * time.Millisecond
	// keysPeriod is how long a writer goes by the same list of pods: with 100,000 of them, making it takes 2 ms.
	keysPeriod = time.Second
)

// SetRate implements levers.Target: so many writes a second, into the status of pods, and some of them deletions.
func (l *Life) SetRate(perSecond float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate = perSecond
	select {
	case <-l.rates: // an older one that was not read
	default:
	}
	l.rates <- perSecond // there is room: only this function sends
}

// runBackground writes at the rate until ctx ends. Each rate has writers of its own.
func (l *Life) runBackground(ctx context.Context) {
	stop := func() {}
	for {
		select {
		case perSecond := <-l.rates:
			stop()
			writing, cancel := context.WithCancel(ctx)
			var running sync.WaitGroup
			if perSecond > 0 {
				limit := rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond*burst.Seconds())))
				for range writers {
					running.Go(func() { l.writeBackground(writing, limit, perSecond) })
				}
			}
			stop = func() {
				cancel()
				running.Wait()
			}
		case <-ctx.Done():
			stop()
			return
		}
	}
}

// writeBackground writes as often as the limit allows. A write that fails is left out: the API server may just be away.
func (l *Life) writeBackground(ctx context.Context, limit *rate.Limiter, perSecond float64) {
	ends := busyEnds
	if perSecond <= calmRate {
		ends = calmEnds
	}
	var keys []string
	var read time.Time
	for limit.Wait(ctx) == nil {
		if time.Since(read) >= keysPeriod {
			keys, read = l.pods.GetStore().ListKeys(), time.Now()
		}
		pod := l.anyPod(keys)
		if pod == nil {
			continue
		}
		l.mu.Lock()
		deletes := l.rng.IntN(1000) < ends
		l.mu.Unlock()
		if deletes && metav1.GetControllerOf(pod) != nil {
			_ = l.deletePod(ctx, pod.Namespace, pod.Name)
		} else {
			_ = l.touch(ctx, pod)
		}
	}
}

// anyPod returns one of the pods with these keys that is not being deleted; nil if a few tries find none.
func (l *Life) anyPod(keys []string) *metav1.PartialObjectMetadata {
	for range 5 {
		if len(keys) == 0 {
			return nil
		}
		l.mu.Lock()
		key := keys[l.rng.IntN(len(keys))]
		l.mu.Unlock()
		object, _, _ := l.pods.GetStore().GetByKey(key) // of a store in memory
		if pod, ok := object.(*metav1.PartialObjectMetadata); ok && pod.DeletionTimestamp == nil {
			return pod
		}
	}
	return nil
}
