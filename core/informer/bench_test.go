package informer

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/watch"
	clientgo "k8s.io/client-go/tools/cache"
)

// The benchmarks measure the way of a watch event, and of initial objects, to one handler, for both libraries.

type runner interface{ RunWithContext(context.Context) }

func benchmarkEvents(b *testing.B, build func(*server, func()) runner) {
	var wg sync.WaitGroup
	srv := newServer(nil, []reply{initial("1"), {}})
	inf := build(srv, wg.Done)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() { defer close(done); inf.RunWithContext(ctx) }()
	for {
		srv.lock.Lock()
		n := len(srv.streams)
		srv.lock.Unlock()
		if n > 0 {
			break
		}
	}
	objs := make([]watch.Event, 1000)
	for i := range objs {
		objs[i] = modifiedEvent(objWithApp(fmt.Sprint("object-", i), "5", "x"))
	}
	wg.Add(len(objs))
	srv.send(objs...)
	wg.Wait()
	for i := range objs {
		objs[i] = modifiedEvent(objWithApp(fmt.Sprint("object-", i), "6", "x"))
	}
	b.ReportAllocs()
	b.ResetTimer()
	wg.Add(b.N)
	for i := range b.N {
		e := objs[i%1000]
		srv.streams[0].ch <- e
	}
	wg.Wait()
	b.StopTimer()
	cancel()
	<-done
}

type counting struct{ done func() }

func (c counting) OnAdd(any, bool)   { c.done() }
func (c counting) OnUpdate(_, _ any) { c.done() }
func (c counting) OnDelete(any)      { c.done() }

func BenchmarkWatchEvents(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		benchmarkEvents(b, func(srv *server, done func()) runner {
			inf := NewSharedIndexInformer(srv.lw(), &object{}, 0, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
			_, _ = inf.AddEventHandler(counting{done})
			return inf
		})
	})
	b.Run("client-go", func(b *testing.B) {
		benchmarkEvents(b, func(srv *server, done func()) runner {
			inf := clientgo.NewSharedIndexInformer(&clientgo.ListWatch{ListWithContextFunc: srv.listWithContext, WatchFuncWithContext: srv.watchWithContext}, &object{},
				0, clientgo.Indexers{clientgo.NamespaceIndex: clientgo.MetaNamespaceIndexFunc})
			_, _ = inf.AddEventHandler(counting{done})
			return inf
		})
	})
}

func BenchmarkInitialObjects(b *testing.B) {
	const n = 5000
	var objs []*object
	for i := range n {
		objs = append(objs, objWithApp(fmt.Sprint("object-", i), "5", "x"))
	}
	run := func(b *testing.B, build func(*server, func()) runner) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			wg.Add(n)
			srv := newServer(nil, []reply{initial("1", objs...), {}})
			inf := build(srv, wg.Done)
			ctx, cancel := context.WithCancel(b.Context())
			done := make(chan struct{})
			go func() { defer close(done); inf.RunWithContext(ctx) }()
			wg.Wait()
			cancel()
			<-done
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/object")
	}
	b.Run("ours", func(b *testing.B) {
		run(b, func(srv *server, done func()) runner {
			inf := NewSharedIndexInformer(srv.lw(), &object{}, 0, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
			_, _ = inf.AddEventHandler(counting{done})
			return inf
		})
	})
	b.Run("client-go", func(b *testing.B) {
		run(b, func(srv *server, done func()) runner {
			inf := clientgo.NewSharedIndexInformer(&clientgo.ListWatch{ListWithContextFunc: srv.listWithContext, WatchFuncWithContext: srv.watchWithContext}, &object{},
				0, clientgo.Indexers{clientgo.NamespaceIndex: clientgo.MetaNamespaceIndexFunc})
			_, _ = inf.AddEventHandler(counting{done})
			return inf
		})
	})
}
