package play

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// invariants checks what must hold for our informer, independent of client-go. It is called when all faults are healed and the informer has had enough
// time to catch up.
func (w *world) invariants() {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	inside := w.side.View()
	stored := map[string]any{}
	for _, o := range inside.Objects {
		stored[keyOf(o.(metav1.Object))] = o
	}
	if !inside.Synced {
		w.out.breaks("after the last fault has healed the informer has not synced")
	}
	for _, key := range slices.Sorted(maps.Keys(w.c.objs)) {
		o := w.c.objs[key]
		if w.hasFailedTransform(key) {
			continue
		}
		got, ok := stored[key]
		if !ok {
			w.out.breaks("the store lacks %s", key)
		} else if rv := got.(metav1.Object).GetResourceVersion(); rv != o.ResourceVersion {
			w.out.breaks("the store has %s at %s, the cluster at %s", key, rv, o.ResourceVersion)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(stored)) {
		if _, ok := w.c.objs[key]; !ok && !w.hasFailedTransform(key) {
			w.out.breaks("the store has %s, the cluster does not", key)
		}
	}
	for _, l := range w.listeners {
		if !l.frozen && l.filter == "" {
			w.checkListener(l)
		}
	}
}

// hasFailedTransform reports whether the transform failed for any state of the object. The events of these states are lost, even a deletion, as in client-go.
func (w *world) hasFailedTransform(key string) bool {
	return w.s.shape == "fail" && slices.ContainsFunc(w.c.hist, func(h change) bool { return h.key == key && h.obj.Labels[poison] != "" })
}

// checkListener checks the calls of one listener against the history of the cluster. The states that it received of an object must be a subsequence of the
// object's states, and the last one must be the current state. A tombstone must stand for an object that was deleted.
func (w *world) checkListener(l *listener) {
	states := map[string][]change{}
	for _, h := range w.c.hist {
		states[h.key] = append(states[h.key], h)
	}
	type known struct {
		rev     int
		present bool
		answer  string // the LIST, WATCH or WatchList that delivered it
	}
	view := map[string]known{}
	for _, c := range l.calls {
		k := view[c.key]
		exists := slices.ContainsFunc(states[c.key], func(h change) bool { return h.rev == c.rev })
		foreign := len(states[c.key]) == 0 // a fault put it on the stream
		switch c.kind {
		case "add", "update":
			if !exists && !foreign {
				w.out.breaks("%s: %s: the object never was at %d", l.name, c.text, c.rev)
			}
			if c.rev < k.rev && !foreign {
				w.out.breaks("%s: %s: it had seen %d before", l.name, c.text, k.rev)
			}
			// If the list is one delta, the second of two objects with one key in it is another add.
			again := c.kind == "add" && k.answer == c.answer && w.lib.Release >= E137
			if (c.kind == "add") == k.present && !again {
				w.out.breaks("%s: %s: present before: %v", l.name, c.text, k.present)
			}
			view[c.key] = known{c.rev, true, c.answer}
		case "delete":
			view[c.key] = known{max(c.rev, k.rev), false, ""}
		case "tombstone":
			if !k.present {
				w.out.breaks("%s: %s: it had not received the object", l.name, c.text)
			}
			gone := foreign
			for _, h := range states[c.key] {
				// If the transform fails for an object, the list that a WatchList builds lacks it.
				if h.rev > k.rev && (h.kind == watch.Deleted || w.s.shape == "fail" && h.obj.Labels[poison] != "") {
					gone = true
				}
			}
			if !gone {
				w.out.breaks("%s: %s: the object was never deleted after %d", l.name, c.text, k.rev)
			}
			view[c.key] = known{k.rev, false, ""}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(view)) {
		k := view[key]
		o, ok := w.c.objs[key]
		if w.hasFailedTransform(key) {
			continue
		}
		switch {
		case k.present && !ok:
			w.out.breaks("%s still has %s, which the cluster does not have", l.name, key)
		case !k.present && ok:
			w.out.breaks("%s received a deletion of %s, which the cluster has", l.name, key)
		case ok && o.ResourceVersion != fmt.Sprint(k.rev):
			w.out.breaks("%s missed the last state of %s: it has %d, the cluster %s", l.name, key, k.rev, o.ResourceVersion)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.c.objs)) {
		if _, ok := view[key]; !ok && !w.hasFailedTransform(key) {
			w.out.breaks("%s received no event for %s", l.name, key)
		}
	}
}
