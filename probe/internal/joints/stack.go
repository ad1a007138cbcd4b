//go:build !informerscope_public

package joints

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// Touches: names of client-go's functions above a hook, as far as tools/cache has them from 0.31 on, and two lines of its updateSingleIndex.
// Gives: exact changes of the store, and what enters the queue.
// Guard: Calibrate finds the lines in a store that it makes. A stack without a known name means Unknown, which switches the layer off.

// An index function gets an object and no reason, and so does a transform. The call stack above the hook gives the reason. It has one of a few forms, and
// the probe examines each form once.

// Reading a frame of the stack costs as much as writing a line of the recording. The nearest shallow frames nearly always give the reason; otherwise depth
// frames are read.
const (
	shallow = 3
	depth   = 6
)

// callers are the frames above a hook, as many as were read, then zeros.
type callers [depth]uintptr

// paths caches the reason that each known call stack gives. There are few stacks; a lookup takes no lock and allocates nothing.
type paths[V any] struct {
	known atomic.Pointer[[]way[V]]
	mu    sync.Mutex // held to add a stack
}

type way[V any] struct {
	callers
	meaning V
}

func (ps *paths[V]) find(p callers) (means V, ok bool) {
	if known := ps.known.Load(); known != nil {
		for i := range *known {
			if (*known)[i].callers == p {
				return (*known)[i].meaning, true
			}
		}
	}
	return means, false
}

// learn returns the meaning of a stack of which all frames were read. If the stack is not in the cache, learn calls decide and stores its result. decide
// also reports whether the frames that it got were enough.
func (ps *paths[V]) learn(p *callers, decide func(*callers) (V, bool)) V {
	if means, ok := ps.find(*p); ok {
		return means
	}
	w := way[V]{callers: *p}
	clear(w.callers[shallow:])
	means, found := decide(&w.callers)
	if !found { // the nearest frames are not enough
		w.callers = *p
		means, _ = decide(p)
	}
	w.meaning = means
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if _, ok := ps.find(w.callers); !ok {
		var all []way[V]
		if known := ps.known.Load(); known != nil {
			all = append(all, *known...)
		}
		all = append(all, w)
		ps.known.Store(&all)
	}
	return means
}

const cachePackage = "k8s.io/client-go/tools/cache"

// isCache reports whether a function or a package belongs to client-go's cache package, vendored or not.
func isCache(name string) bool {
	return strings.HasPrefix(name, cachePackage+".") || strings.Contains(name, "/vendor/"+cachePackage+".")
}

var (
	indexPaths paths[StoreChange]
	queuePaths paths[cache.DeltaType] // empty for a transform that is not for the queue

	calibration sync.Once
	oldLine     int // where updateSingleIndex calls for the old object
	newLine     int
	calibrated  error
)

// Calibrate finds the lines at which client-go's store calls index functions for a new and for an old object. It makes a small store and changes an object
// in it.
func Calibrate() error {
	calibration.Do(func() {
		var line int
		x := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"probe": func(interface{}) ([]string, error) {
			var pcs callers
			runtime.Callers(2, pcs[:])
			line = 0
			for frames := runtime.CallersFrames(trim(&pcs)); ; {
				f, more := frames.Next()
				if isCache(f.Function) && strings.HasSuffix(f.Function, ".updateSingleIndex") {
					line = f.Line
				}
				if !more {
					return nil, nil
				}
			}
		}})
		o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "probe"}}
		if calibrated = x.Add(o); calibrated != nil {
			return
		}
		newLine = line
		if calibrated = x.Delete(o); calibrated != nil {
			return
		}
		oldLine = line
		if oldLine == 0 || newLine == 0 || oldLine == newLine {
			calibrated = fmt.Errorf("this client-go's store does not say in which order it calls an index function")
		}
	})
	return calibrated
}

func trim(p *callers) []uintptr {
	n := 0
	for n < depth && p[n] != 0 {
		n++
	}
	return p[:n]
}

// indexCause returns the reason for which an index function was called. found is false if the frames do not give it.
func indexCause(p *callers) (c StoreChange, found bool) {
	c = Unknown
	line := 0
	frames := runtime.CallersFrames(trim(p))
	for more := true; more && c == Unknown; {
		var f runtime.Frame
		f, more = frames.Next()
		if !isCache(f.Function) {
			continue
		}
		switch _, name, _ := cutAtLast(f.Function, "."); name {
		case "updateSingleIndex":
			line = f.Line
		case "deleteLocked", "Delete", "DeleteWithObject":
			c = Deleted
		case "Replace":
			c = Replaced
		case "updateLocked", "addLocked", "Update", "Add", "Transaction":
			if line == oldLine {
				c = Outdated
			} else if line == newLine {
				c = Added
			}
		case "AddIndexers", "Index", "getKeysFromIndex":
			c = Same
		}
	}
	if line == 0 && c != Same {
		c = Unknown
	}
	return c, c != Unknown
}

// queueDelta returns the type with which an object enters the queue. found is false if the frames do not give it.
func queueDelta(p *callers) (d cache.DeltaType, found bool) {
	frames := runtime.CallersFrames(trim(p))
	for more := true; more && d == ""; {
		var f runtime.Frame
		f, more = frames.Next()
		before, name, _ := cutAtLast(f.Function, ".")
		if !isCache(f.Function) || !strings.HasSuffix(before, "FIFO)") {
			continue // a closure of a method also appears below the method itself
		}
		switch name {
		case "Add":
			d = cache.Added
		case "Update":
			d = cache.Updated
		case "Delete":
			d = cache.Deleted
		case "Replace":
			d = cache.Replaced
		case "addReplaceToItemsLocked":
			d = "ReplacedAll"
		}
	}
	return d, d != ""
}

func cutAtLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Indexed returns why client-go's store called the index function that calls Indexed.
func Indexed() StoreChange {
	var pcs callers
	runtime.Callers(3, pcs[:shallow])
	c, known := indexPaths.find(pcs)
	if !known {
		var all callers
		runtime.Callers(3, all[:])
		c = indexPaths.learn(&all, indexCause)
	}
	return c
}

// Enqueued returns the type with which an object enters the queue, of which client-go called the transform that calls Enqueued; "" if it does not enter it.
func Enqueued() cache.DeltaType {
	var pcs callers
	runtime.Callers(3, pcs[:shallow])
	d, known := queuePaths.find(pcs)
	if !known {
		var all callers
		runtime.Callers(3, all[:])
		d = queuePaths.learn(&all, queueDelta)
	}
	return d
}
