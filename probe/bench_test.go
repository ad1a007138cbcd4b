//go:build unix

package probe

import (
	"io"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// processor is the processor time that this process has had.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEvent is what a change of an object costs an informer with three handlers, from the watch to the last handler. It measures without a
// probe, with one that has no viewer, with one that counts for metrics, and with a viewer.
func BenchmarkEvent(b *testing.B) {
	for _, mode := range []string{"without", "detached", "measured", "attached"} {
		b.Run(mode, func(b *testing.B) {
			s := newSource(1000)
			inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			var handled atomic.Int64
			for range 3 {
				if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { handled.Add(1) }}); err != nil {
					b.Fatal(err)
				}
			}
			p := New(Options{})
			if mode != "without" {
				p.Informer(gvr("things"), inf)
			}
			stop, done := make(chan struct{}), make(chan struct{})
			go func() { defer close(done); inf.Run(stop) }()
			defer func() { close(stop); <-done }()
			if !cache.WaitForCacheSync(stop, inf.HasSynced) {
				b.Fatal("no sync")
			}
			if mode == "measured" {
				p.Measure()
			}
			if mode == "attached" {
				defer read(b, p)()
			}
			b.ReportAllocs()
			b.ResetTimer()
			before := processor()
			for i := range b.N {
				s.set(i % 1000)
				if i%100 == 99 { // slower than a reader reads
					time.Sleep(5 * time.Millisecond)
				}
			}
			for handled.Load() < int64(3*b.N) {
				time.Sleep(50 * time.Microsecond)
			}
			b.ReportMetric(float64(processor()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkSecond is a second in which 1,000 objects change, one after the other. It measures the processor's time without a probe and with a viewer,
// the samples included, and how much more the heap holds after it.
func BenchmarkSecond(b *testing.B) {
	for _, attached := range []bool{false, true} {
		b.Run(map[bool]string{false: "without", true: "attached"}[attached], func(b *testing.B) {
			s := newSource(1000)
			inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			for range 3 {
				if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
					b.Fatal(err)
				}
			}
			p := New(Options{})
			if attached {
				p.Informer(gvr("things"), inf)
			}
			stop, done := make(chan struct{}), make(chan struct{})
			go func() { defer close(done); inf.Run(stop) }()
			defer func() { close(stop); <-done }()
			if !cache.WaitForCacheSync(stop, inf.HasSynced) {
				b.Fatal("no sync")
			}
			held := heap()
			if attached {
				defer read(b, p)()
			}
			b.ResetTimer()
			before := processor()
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for i := range 1000 * b.N {
				<-tick.C
				s.set(i % 1000)
			}
			b.ReportMetric(100*(processor()-before).Seconds()/b.Elapsed().Seconds(), "%processor")
			b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(heap()-held)/1e6, "MB-held")
		})
	}
}

// read attaches a reader, who is gone when what it returns was called.
func read(b *testing.B, p *Probe) (gone func()) {
	if !p.attach() {
		b.Fatal("refused")
	}
	v := newViewer(p, io.Discard, p.informers())
	if err := v.begin(nil); err != nil {
		b.Fatal(err)
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for t := time.NewTicker(drainPeriod); ; {
			select {
			case <-end:
				t.Stop()
				return
			case <-t.C:
				_ = v.drain()
			}
		}
	}()
	return func() {
		close(end)
		<-ended
		p.detach()
	}
}

// BenchmarkWorkQueue is what a key costs in a work queue, from Add to Done: client-go's own, and one that is seen, without a viewer.
func BenchmarkWorkQueue(b *testing.B) {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]
	for name, make := range map[string]func() workqueue.TypedRateLimitingInterface[string]{
		"client-go": func() workqueue.TypedRateLimitingInterface[string] {
			return workqueue.NewTypedRateLimitingQueue(limiter())
		},
		"seen": func() workqueue.TypedRateLimitingInterface[string] {
			return NewQueue[string](New(Options{}), QueueOptions{})("x", limiter())
		},
	} {
		b.Run(name, func(b *testing.B) {
			q := make()
			defer q.ShutDown()
			keys := [64]string{}
			for i := range keys {
				keys[i] = strconv.Itoa(i)
			}
			b.ReportAllocs()
			for i := range b.N {
				q.Add(keys[i%len(keys)])
				key, _ := q.Get()
				q.Forget(key)
				q.Done(key)
			}
		})
	}
}
