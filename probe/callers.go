package probe

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// An index function is told an object and not why, and so is a transform. Who called it says so: the way up the stack is one of a few, and
// each is looked at once.

// depth is how much of the stack is looked at: each frame costs as much as a line of the recording.
const depth = 6

type callers [depth]uintptr

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
	indexPaths sync.Map // callers → cause
	queuePaths sync.Map // callers → op, opNone when it is not for the queue

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

func indexCause(p *callers) cause {
	if c, ok := indexPaths.Load(*p); ok {
		return c.(cause)
	}
	c := causeUnknown
	line := 0
	frames := runtime.CallersFrames(trim(p))
	for more := true; more && c == causeUnknown; {
		var f runtime.Frame
		f, more = frames.Next()
		if !isCache(f.Function) {
			continue
		}
		switch _, name, _ := cutLast(f.Function, "."); name {
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
	indexPaths.Store(*p, c)
	return c
}

func queueOp(p *callers) op {
	if o, ok := queuePaths.Load(*p); ok {
		return o.(op)
	}
	o := opNone
	frames := runtime.CallersFrames(trim(p))
	for more := true; more && o == opNone; {
		var f runtime.Frame
		f, more = frames.Next()
		before, name, _ := cutLast(f.Function, ".")
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
	queuePaths.Store(*p, o)
	return o
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
