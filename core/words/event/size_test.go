package event_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/informer"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// log packs what an informer reports.
type log struct {
	lock   sync.Mutex
	chunks []*event.Chunk
	taken  int // bytes, as Chunk.Add says
	events int
}

func (l *log) Observe(e *event.Event) {
	l.lock.Lock()
	defer l.lock.Unlock()
	var last *event.Chunk
	if n := len(l.chunks); n > 0 {
		last = l.chunks[n-1]
	}
	if last == nil || last.Len == event.ChunkEvents {
		last = event.NewChunk(last)
		l.chunks = append(l.chunks, last)
	}
	l.taken += last.Add(time.Duration(l.events)*time.Microsecond, 0, e)
	l.events++
}

// TestWhatAChunkSaysItTakes packs the events of an informer with one handler and with ten. It compares what Chunk.Add says with the chunks' tables, and an
// event with its budget: a quarter of a struct with all members.
func TestWhatAChunkSaysItTakes(t *testing.T) {
	for _, handlers := range []int{1, 10} {
		t.Run(fmt.Sprint(handlers), func(t *testing.T) {
			const objects, rounds = 500, 20
			var log log
			source := watch.NewFake()
			var handled, ended sync.WaitGroup
			lw := &informer.ListWatch{
				ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return &metav1.PartialObjectMetadataList{}, nil },
				WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return source, nil },
			}
			inf := informer.NewSharedIndexInformerWithOptions(lw, &metav1.PartialObjectMetadata{}, informer.SharedIndexInformerOptions{
				Release: releases.V133, Observer: &log, Indexers: informer.Indexers{informer.NamespaceIndex: informer.MetaNamespaceIndexFunc}})
			for range handlers {
				_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs{
					AddFunc:    func(any) { handled.Done() },
					UpdateFunc: func(any, any) { handled.Done() },
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended.Go(func() { inf.RunWithContext(ctx) })
			for round := range rounds {
				handled.Add(objects * handlers)
				for i := range objects {
					o := &metav1.PartialObjectMetadata{}
					o.Name, o.Namespace, o.ResourceVersion = fmt.Sprint("object-", i), fmt.Sprint("namespace-", i%20), fmt.Sprint(10_000+round*objects+i)
					if round == 0 {
						source.Add(o)
					} else {
						source.Modify(o)
					}
				}
				handled.Wait()
			}
			cancel()
			ended.Wait()
			tables := 0
			for _, c := range log.chunks {
				tables += event.TableBytes(c)
			}
			n, whole := log.events, int(reflect.TypeFor[event.Entry]().Size())
			t.Logf("%d events, %d for a watch event, take %.1f bytes each; a struct with all members takes %d, without what its strings take",
				n, n/objects/rounds, float64(log.taken)/float64(n), whole)
			if log.taken < tables*9/10 || log.taken > tables*11/10 {
				t.Errorf("the chunks say that they take %d bytes, and their tables take %d", log.taken, tables)
			}
			if log.taken > n*whole/4 {
				t.Errorf("an event takes %d bytes, more than a quarter of %d", log.taken/n, whole)
			}
		})
	}
}
