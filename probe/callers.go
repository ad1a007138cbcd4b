package probe

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// An index function gets an object and no reason, and so does a transform. Their caller gives the reason: the way up the stack is one of a few, and
// the probe looks at each once.

// Each frame that is looked at costs as much as a line of the recording. The next ones nearly always say why; where they do not, a few more are
// looked at.
const (
	shallow = 3
	depth   = 6
)

// callers are the frames above a hook, as many as were looked at, then zeros.
type callers [depth]uintptr

// paths are what ways up the stack were found to mean. There are few of them, and they are found without a lock and without allocating.
type paths[V any] struct {
	known atomic.Pointer[[]way[V]]
	mu    sync.Mutex // for who adds one
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

// learn is find for who has looked at all frames. What is not known yet says decide, and whether it found what it looked for.
func (ps *paths[V]) learn(p *callers, decide func(*callers) (V, bool)) V {
	if means, ok := ps.find(*p); ok {
		return means
	}
	is := way[V]{callers: *p}
	clear(is.callers[shallow:])
	means, found := decide(&is.callers)
	if !found { // the next frames do not say it
		is.callers = *p
		means, _ = decide(p)
	}
	is.meaning = means
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if _, ok := ps.find(is.callers); !ok {
		var all []way[V]
		if known := ps.known.Load(); known != nil {
			all = append(all, *known...)
		}
		all = append(all, is)
		ps.known.Store(&all)
	}
	return means
}

// isCache says whether a function's or a package's name is of client-go's cache package, vendored or not.
func isCache(name string) bool {
	return strings.HasPrefix(name, cachePackage+".") || strings.Contains(name, "/vendor/"+cachePackage+".")
}

// cause is why an index function was called.
type cause uint8

const (
	causeUnknown  cause = iota + 1
	causeOld            // the object leaves, because another takes its place
	causeNew            // the object comes
	causeDeleted        // the object leaves
	causeReplaced       // the object comes with all others, in place of all that were there
	causeOther          // the store does not change
)

var (
	indexPaths paths[cause]
	queuePaths paths[op] // opNone when it is not for the queue

	calibration sync.Once
	oldLine     int // where updateSingleIndex calls for the old object
	newLine     int
	calibrated  error
)

// calibrate learns at which lines client-go's store asks for the index of an object that comes, and of one that goes, by letting it.
func calibrate() error {
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

// indexCause says why an index function was called, and whether the frames say so.
func indexCause(p *callers) (c cause, found bool) {
	c = causeUnknown
	line := 0
	frames := runtime.CallersFrames(trim(p))
	for more := true; more && c == causeUnknown; {
		var f runtime.Frame
		f, more = frames.Next()
		if !isCache(f.Function) {
			continue
		}
		switch _, name, _ := cutAtLast(f.Function, "."); name {
		case "updateSingleIndex":
			line = f.Line
		case "deleteLocked", "Delete", "DeleteWithObject":
			c = causeDeleted
		case "Replace":
			c = causeReplaced
		case "updateLocked", "addLocked", "Update", "Add", "Transaction":
			if line == oldLine {
				c = causeOld
			} else if line == newLine {
				c = causeNew
			}
		case "AddIndexers", "Index", "getKeysFromIndex":
			c = causeOther
		}
	}
	if line == 0 && c != causeOther {
		c = causeUnknown
	}
	return c, c != causeUnknown
}

// queueOp says as what an object enters the queue, and whether the frames say so.
func queueOp(p *callers) (o op, found bool) {
	frames := runtime.CallersFrames(trim(p))
	for more := true; more && o == opNone; {
		var f runtime.Frame
		f, more = frames.Next()
		before, name, _ := cutAtLast(f.Function, ".")
		if !isCache(f.Function) || !strings.HasSuffix(before, "FIFO)") {
			continue // a closure of a method, too, stands below the method itself
		}
		switch name {
		case "Add":
			o = opAdded
		case "Update":
			o = opUpdated
		case "Delete":
			o = opDeleted
		case "Replace":
			o = opReplaced
		case "addReplaceToItemsLocked":
			o = opReplacedAll
		}
	}
	return o, o != opNone
}

func cutAtLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
