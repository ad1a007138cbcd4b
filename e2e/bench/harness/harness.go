//go:build js && wasm

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall/js"
	"time"

	"informerscope/e2e/bench/feed"
	"informerscope/e2e/bench/pipeline"
)

// Handler is what the program's informer calls.
type Handler struct {
	Add    func()
	Update func()
}

// Informer is a running informer.
type Informer interface {
	// HasSynced is the informer's own lamp.
	HasSynced() bool
	// Keys returns how many objects are in the store.
	Keys() int
	// Indexed returns how many objects the namespace index has for namespace.
	Indexed(namespace string) (int, error)
	// Wait returns when the informer has stopped.
	Wait()
}

// Start starts an informer for all pods of the API server behind transport,
// which ends when ctx does.
type Start func(ctx context.Context, transport http.RoundTripper, handler Handler) (Informer, error)

// maxTime bounds a measurement.
const maxTime = 60 * time.Second

// Main offers globalThis.bench(what), which returns a promise of a Result as
// JSON, calls globalThis.benchReady and never returns. what is a feed.Mode, or a
// pipeline.Task as JSON, whose result is a pipeline.Result.
func Main(start Start, lib pipeline.Library) {
	f := feed.New(Pods, Updates)
	js.Global().Set("bench", js.FuncOf(func(_ js.Value, args []js.Value) any {
		what := args[0].String()
		return js.Global().Get("Promise").New(js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() {
				result, err := run(f, what, start, lib)
				if err != nil {
					settle[1].Invoke(err.Error())
					return
				}
				text, err := json.Marshal(result)
				if err != nil {
					settle[1].Invoke(err.Error())
					return
				}
				settle[0].Invoke(string(text))
			}()
			return nil
		}))
	}))
	js.Global().Call("benchReady")
	select {}
}

func run(f *feed.Feed, what string, start Start, lib pipeline.Library) (any, error) {
	if !strings.HasPrefix(what, "{") {
		return measure(f, feed.Mode(what), start)
	}
	var task pipeline.Task
	if err := json.Unmarshal([]byte(what), &task); err != nil {
		return nil, err
	}
	return pipeline.Measure(lib, task)
}

func measure(f *feed.Feed, mode feed.Mode, start Start) (Result, error) {
	r := Result{Mode: mode, Pods: f.Pods(), Updates: f.Updates()}
	r.SyncBytes, r.UpdateBytes = f.Bytes(mode)
	server := f.Serve(mode)
	// What the measurement before left behind is not this one's to clear.
	runtime.GC()

	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	var adds, updates atomic.Int64
	added, updated := make(chan struct{}), make(chan struct{})
	handler := Handler{
		Add: func() {
			if adds.Add(1) == int64(f.Pods()) {
				close(added)
			}
		},
		Update: func() {
			if updates.Add(1) == int64(f.Updates()) {
				close(updated)
			}
		},
	}

	begin := time.Now()
	inf, err := start(ctx, server, handler)
	if err != nil {
		return r, err
	}
	defer func() { cancel(); inf.Wait() }()
	select {
	case <-added:
	case <-ctx.Done():
		return r, fmt.Errorf("%d of %d pods arrived", adds.Load(), f.Pods())
	}
	for !inf.HasSynced() {
		if ctx.Err() != nil {
			return r, fmt.Errorf("all pods arrived, but HasSynced stays false")
		}
		runtime.Gosched()
	}
	r.SyncMillis = time.Since(begin).Seconds() * 1000
	if n := inf.Keys(); n != f.Pods() {
		return r, fmt.Errorf("%d pods in the store, want %d", n, f.Pods())
	}
	if n, err := inf.Indexed("ns-0"); err != nil || n != f.Pods()/50 {
		return r, fmt.Errorf("%d pods in the index under ns-0, %v; want %d", n, err, f.Pods()/50)
	}

	runtime.GC()
	begin = time.Now()
	server.Release()
	select {
	case <-updated:
	case <-ctx.Done():
		return r, fmt.Errorf("%d of %d updates arrived", updates.Load(), f.Updates())
	}
	r.UpdateMillis = time.Since(begin).Seconds() * 1000
	return r, nil
}
