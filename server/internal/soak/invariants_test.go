package soak

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

func (p *page) releaseNames() []string { return strings.Split(p.Releases, ",") }

// check returns the violated invariants of an informer. The cluster must be quiet.
func (w *world) check(p *page, lane int) (wrong []string) {
	breaks := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	var head uint64
	snapshot, err := p.lab.Inside(lane, func() { head, _ = p.rec.Head() })
	if err != nil {
		return []string{err.Error()}
	}
	if release := p.releaseNames()[lane]; snapshot.Release.String() != release {
		return []string{fmt.Sprintf("release %s is watched, not %s", snapshot.Release, release)}
	}
	truth := w.history.objectsIn(p.Namespace)
	if !snapshot.Synced {
		breaks("the informer has not synced")
	}
	for _, key := range slices.Sorted(maps.Keys(truth)) {
		o, ok := snapshot.Store.Objects[key].(metav1.Object)
		if !ok {
			breaks("the store lacks %s", key)
		} else if rv := o.GetResourceVersion(); rv != strconv.FormatUint(truth[key], 10) {
			breaks("the store has %s at %s, the cluster at %d", key, rv, truth[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(snapshot.Store.Objects)) {
		if _, ok := truth[key]; !ok {
			breaks("the store has %s, the cluster has not", key)
		}
		if raw, ok := snapshot.Store.Objects[key].(interface{ Raw() []byte }); ok && bytes.Contains(raw.Raw(), []byte(appliedValue)) {
			breaks("%s came with a value that was to be withheld", key)
		}
	}
	fold := p.rec.FoldAt(head)
	state := fold.State()
	if state.Source.Trouble != "" {
		breaks("the page says: %s", state.Source.Trouble)
	}
	if len(state.Lanes) > 0 {
		state = state.Lanes[lane]
	}
	wrong = append(wrong, checkFold(fold, state, lane, snapshot)...)
	wrong = append(wrong, w.checkHandlers(p, lane, head, snapshot)...)
	return wrong
}

// checkFold compares the fold of the log with the informer's own state.
func checkFold(f *fold.Fold, state *fold.State, lane int, snapshot informer.Snapshot) (wrong []string) {
	same := func(what string, got, want any) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("the log has %s: %v; the informer has %v", what, got, want))
		}
	}
	same("synced", state.Synced, snapshot.Synced)
	same("the phase", state.Reflector.Phase, snapshot.Reflector.Phase)
	same("the Reflector's version", state.Reflector.ResourceVersion, snapshot.Reflector.ResourceVersion)
	same("the queue's depth", state.Queue.Depth, len(snapshot.Queue.Items)+len(snapshot.Queue.Keys))
	same("the queue is synced", state.Queue.Synced, snapshot.Queue.Synced)
	same("the store's version", state.Indexer.ResourceVersion, snapshot.Store.ResourceVersion)
	same("objects", state.Indexer.Count, len(snapshot.Store.Objects))
	for _, key := range slices.Sorted(maps.Keys(snapshot.Store.Objects)) {
		if cell, ok := f.Objects(lane).Get(key); !ok || cell.Obj != snapshot.Store.Objects[key] {
			wrong = append(wrong, "the log has another "+key+" than the store")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(snapshot.Store.Indices)) {
		for _, value := range slices.Sorted(maps.Keys(snapshot.Store.Indices[name])) {
			n := 0
			f.Index(lane, name).Keys(value, func(key string) bool {
				if snapshot.Store.Indices[name][value].Has(key) {
					n++
				}
				return true
			})
			same("keys of "+name+"="+value, n, snapshot.Store.Indices[name][value].Len())
		}
	}
	for _, l := range snapshot.Listeners {
		i := slices.IndexFunc(state.Listeners, func(s fold.Listener) bool { return s.ID == l.ID && !s.Removed })
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("the log has no listener %d", l.ID))
			continue
		}
		s := state.Listeners[i]
		same(fmt.Sprintf("of listener %d", l.ID),
			fmt.Sprint(s.Ring, s.Waiting, s.Delivered, s.Handled, s.Synced),
			fmt.Sprint(l.Pending, l.Waiting, l.Delivered, l.Handled, l.Synced))
	}
	return wrong
}

// knownState is the last state of an object that a handler received.
type knownState struct {
	rv      uint64
	present bool
}

// checkHandlers checks each handler's notifications against the whole history. Notifications of an object arrive in the order of its states, the last one is
// the cluster's state, and only objects that were deleted are reported deleted.
func (w *world) checkHandlers(p *page, lane int, head uint64, snapshot informer.Snapshot) (wrong []string) {
	breaks := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	views := map[int32]map[string]knownState{}
	names := map[int32]string{}
	var last uint64
	p.rec.Read(1, head, func(e *event.Entry) bool {
		if int(e.Lane) != lane {
			return true
		}
		switch e.Kind {
		case event.KindReflectorRV:
			rv, err := strconv.ParseUint(e.RV(), 10, 64)
			if err != nil || rv < last {
				breaks("the Reflector's version went from %d to %q", last, e.RV())
			}
			last = rv
		case event.KindListenerAdded:
			added := e.ListenerAdded()
			views[added.Listener], names[added.Listener] = map[string]knownState{}, added.Name
		case event.KindListenerRemoved:
			delete(views, e.Listener())
		case event.KindHandling:
			handling := e.Handling()
			if view := views[handling.Listener]; view != nil {
				if problem := w.checkNotification(view, &e.Event); problem != "" {
					breaks("handler %d (%s), event %d: %s", handling.Listener, names[handling.Listener], e.Seq, problem)
				}
			}
		}
		return true
	})
	truth := w.history.objectsIn(p.Namespace)
	if len(views) != len(snapshot.Listeners) {
		breaks("%d handlers in the log, %d inside", len(views), len(snapshot.Listeners))
	}
	for _, id := range slices.Sorted(maps.Keys(views)) {
		view := views[id]
		for _, key := range slices.Sorted(maps.Keys(view)) {
			k := view[key]
			rv, ok := truth[key]
			switch {
			case k.present && !ok:
				breaks("handler %d (%s) was not notified that %s is gone", id, names[id], key)
			case !k.present && ok:
				breaks("handler %d (%s) was last notified that %s is gone, and it exists", id, names[id], key)
			case ok && rv != k.rv:
				breaks("handler %d (%s) missed the last state of %s: it has %d, the cluster %d", id, names[id], key, k.rv, rv)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(truth)) {
			if _, ok := view[key]; !ok {
				breaks("handler %d (%s) got no notification of %s", id, names[id], key)
			}
		}
	}
	return wrong
}

// checkNotification adds one notification to a handler's view, and returns what is wrong with it.
func (w *world) checkNotification(view map[string]knownState, e *event.Event) string {
	rv, err := strconv.ParseUint(e.RV(), 10, 64)
	if err != nil {
		return fmt.Sprintf("%s of %s at version %q", e.Op(), e.Key(), e.RV())
	}
	k, states := view[e.Key()], w.history.states[e.Key()]
	if e.Op() == event.OpDeleted {
		view[e.Key()] = knownState{max(k.rv, rv), false}
		switch {
		case !k.present:
			return fmt.Sprintf("%s is gone, which it did not know", e.Key())
		case !slices.ContainsFunc(states, func(s state) bool { return s.gone && s.rv > k.rv }):
			return fmt.Sprintf("%s is gone, which it never was after %d", e.Key(), k.rv)
		}
		return ""
	}
	view[e.Key()] = knownState{rv, true}
	switch {
	case !slices.ContainsFunc(states, func(s state) bool { return s.rv == rv && !s.gone }):
		return fmt.Sprintf("%s of %s, which never was at %d", e.Op(), e.Key(), rv)
	case rv < k.rv:
		return fmt.Sprintf("%s of %s at %d after %d", e.Op(), e.Key(), rv, k.rv)
	case (e.Op() == event.OpAdded) == k.present:
		return fmt.Sprintf("%s of %s, which it knew: %v", e.Op(), e.Key(), k.present)
	}
	return ""
}

// count adds up the work of a page.
func (w *world) count(p *page) {
	head, _ := p.rec.Head()
	w.result.Transitions += int(head)
	releases := p.releaseNames()
	p.rec.Read(1, head, func(e *event.Entry) bool {
		if e.Kind == event.KindHandling && int(e.Lane) < len(releases) {
			w.result.Notifications++
			w.result.Notified[releases[e.Lane]]++
		}
		return true
	})
}
