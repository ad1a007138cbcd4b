package informer

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// MutationDetector finds handlers that change objects in place. They must not, because the store and all handlers share the objects.
type MutationDetector interface {
	// AddObject begins to guard obj. It ignores tombstones and objects that cannot be copied.
	AddObject(obj interface{})
	// Run compares periodically until stopCh is closed.
	Run(stopCh <-chan struct{})
}

// Mutation describes an object that was changed in place.
type Mutation struct {
	// Cache is the name of the detector.
	Cache string
	// Key is the key of the original object, or "" if it has none.
	Key string
	// Object is the object as it is now, Original a copy from when it was stored.
	Object, Original interface{}
	// Field is the first field that differs, such as metadata.labels[app]; Before and After are its values.
	Field         string
	Before, After interface{}
}

// String describes what changed.
func (m Mutation) String() string {
	return fmt.Sprintf("cache %s: object %s was changed in place: %s was %s and is %s", m.Cache, m.Key, m.Field, formatValue(m.Before), formatValue(m.After))
}

// formatValue formats a value; one that does not exist is "missing".
func formatValue(v any) string {
	if v == nil {
		return "missing"
	}
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%v", v)
}

// MutationDetectorOptions configures NewMutationDetector. All fields are optional.
type MutationDetectorOptions struct {
	// Period is how often the objects are compared; default one second.
	Period time.Duration
	// Retain is how long an object is guarded: at least so long, at most twice as long; default two minutes.
	Retain time.Duration
	// Report is called with each changed object, once, from Run's goroutine. If it is nil, all changes found in one comparison are logged and Run
	// panics, as client-go's does: code that works on changed objects cannot be trusted.
	Report func(Mutation)
	// Clock replaces the real clock.
	Clock clock.Clock
}

// NewCacheMutationDetector returns a MutationDetector that panics, if KUBE_CACHE_MUTATION_DETECTOR was true when the program started, otherwise one
// that does nothing.
func NewCacheMutationDetector(name string) MutationDetector {
	if !mutationDetectorWanted {
		return noMutationDetector{}
	}
	klog.Background().Info("Warning: the mutation detector is on, it keeps copies of all objects", "cache", name)
	return NewMutationDetector(name, MutationDetectorOptions{})
}

// NewMutationDetector returns a MutationDetector; name identifies it in reports. It keeps a copy of every object that it guards, and uses memory
// accordingly.
func NewMutationDetector(name string, options MutationDetectorOptions) MutationDetector {
	d := &mutationDetector{name: name, period: options.Period, retain: options.Retain, report: options.Report, clock: options.Clock}
	if d.period <= 0 {
		d.period = time.Second
	}
	if d.retain <= 0 {
		d.retain = 2 * time.Minute
	}
	if d.clock == nil {
		d.clock = clock.RealClock{}
	}
	return d
}

type noMutationDetector struct{}

func (noMutationDetector) AddObject(interface{})      {}
func (noMutationDetector) Run(stopCh <-chan struct{}) {}

// guardedObject is an object and a copy from when it was stored.
type guardedObject struct {
	obj, original runtime.Object
	reported      bool
}

type mutationDetector struct {
	name           string
	period, retain time.Duration
	report         func(Mutation)
	clock          clock.Clock

	// newObjects are the objects that Run has not taken yet. Only they are shared, so that AddObject, which the process loop calls, never waits for a
	// comparison.
	lock       sync.Mutex
	newObjects []guardedObject

	recent, retained []guardedObject
	lastRotation     time.Time
}

// AddObject implements MutationDetector.
func (d *mutationDetector) AddObject(obj interface{}) {
	o, ok := obj.(runtime.Object)
	if !ok {
		return // neither is a tombstone
	}
	g := guardedObject{obj: o, original: o.DeepCopyObject()}
	d.lock.Lock()
	defer d.lock.Unlock()
	d.newObjects = append(d.newObjects, g)
}

// Run implements MutationDetector.
// Mirrors client-go tools/cache.(*defaultCacheMutationDetector).Run (v0.37.2).
func (d *mutationDetector) Run(stopCh <-chan struct{}) {
	d.lastRotation = d.clock.Now()
	for {
		if d.clock.Since(d.lastRotation) > d.retain {
			d.retained, d.recent, d.lastRotation = d.recent, nil, d.clock.Now()
		}
		d.compare()
		t := d.clock.NewTimer(d.period)
		select {
		case <-stopCh:
			t.Stop()
			return
		case <-t.C():
		}
	}
}

func (d *mutationDetector) compare() {
	d.lock.Lock()
	d.recent = append(d.recent, d.newObjects...)
	d.newObjects = nil
	d.lock.Unlock()
	var found []string
	for _, generation := range [][]guardedObject{d.recent, d.retained} {
		for i := range generation {
			g := &generation[i]
			if g.reported || reflect.DeepEqual(g.obj, g.original) {
				continue
			}
			g.reported = true
			m := mutationOf(d.name, g)
			if d.report != nil {
				d.report(m)
				continue
			}
			klog.Background().Error(nil, "An object in a cache was changed", "mutation", m.String())
			found = append(found, m.String())
		}
	}
	if len(found) > 0 {
		panic(strings.Join(found, "\n"))
	}
}

func mutationOf(cache string, g *guardedObject) Mutation {
	m := Mutation{Cache: cache, Object: g.obj, Original: g.original}
	m.Key, _ = MetaNamespaceKeyFunc(g.original)
	before, after, ok := asJSON(g.original, g.obj)
	if ok {
		m.Field, m.Before, m.After, ok = difference("", before, after)
	}
	if !ok { // the change does not show in JSON
		m.Field, m.Before, m.After = "the object", fmt.Sprintf("%+v", g.original), fmt.Sprintf("%+v", g.obj)
	}
	return m
}

// asJSON decodes both objects from their JSON, so that typed objects, unstructured ones and those kept as bytes have the same field names.
func asJSON(a, b any) (x, y any, ok bool) {
	for _, side := range []struct {
		from any
		to   *any
	}{{a, &x}, {b, &y}} {
		doc, err := json.Marshal(side.from)
		if err != nil || json.Unmarshal(doc, side.to) != nil {
			return nil, nil, false
		}
	}
	return x, y, true
}

// difference returns the first field, ordered by name, that differs. A field that one side lacks is nil there.
func difference(path string, a, b any) (field string, before, after any, found bool) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, name := range sortedUnion(a, b) {
			if field, before, after, found = difference(join(path, name), a[name], b[name]); found {
				return field, before, after, true
			}
		}
		return "", nil, nil, false
	case []any:
		b, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(a), len(b)) {
			var x, y any
			if i < len(a) {
				x = a[i]
			}
			if i < len(b) {
				y = b[i]
			}
			if field, before, after, found = difference(fmt.Sprintf("%s[%d]", path, i), x, y); found {
				return field, before, after, true
			}
		}
		return "", nil, nil, false
	}
	return path, a, b, !reflect.DeepEqual(a, b)
}

// join appends a name to a path: with a dot if it looks like the name of a field, otherwise in brackets, as for keys of labels and annotations.
func join(path, name string) string {
	switch {
	case strings.HasSuffix(path, "labels") || strings.HasSuffix(path, "annotations") || strings.ContainsAny(name, "./[] "):
		return path + "[" + name + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

func sortedUnion(a, b map[string]any) []string {
	//maporder:free sorted in the next line
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}
