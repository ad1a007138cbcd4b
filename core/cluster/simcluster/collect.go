package simcluster

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The policies of a deletion: what becomes of the dependents, the objects that the deleted one owns.
const (
	background = "Background" // they go after their owner
	foreground = "Foreground" // the owner waits for those that block it
	orphaned   = "Orphan"     // they stay, without the owner
)

// finalizerOf is by which the garbage collector holds an object that is deleted with a policy.
var finalizerOf = map[string]string{foreground: metav1.FinalizerDeleteDependents, orphaned: metav1.FinalizerOrphanDependents}

func (o *object) finalizers() []string { return stringList(o.get("metadata.finalizers").Value()) }

// withPolicy returns the object with the finalizers of a deletion, and whether they are others than before. Without a policy those that it has decide. The
// object that it returns has no version of its own.
//
// Mirrors k8s.io/apiserver/pkg/registry/generic/registry.deletionFinalizersForGarbageCollection (v0.36.3).
func (o *object) withPolicy(policy *string) (*object, bool, error) {
	before := o.finalizers()
	if policy == nil {
		return o, false, nil
	}
	next := slices.DeleteFunc(slices.Clone(before), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	if f := finalizerOf[*policy]; f != "" {
		next = append(next, f)
	}
	if slices.Equal(before, next) {
		return o, false, nil
	}
	n, err := encodeAsIs(o.mapWithFinalizers(next))
	return n, true, err
}

func (o *object) mapWithFinalizers(all []string) map[string]any {
	m := o.mustMap()
	meta := ensureMap(m, "metadata")
	if meta["finalizers"] = all; len(all) == 0 {
		delete(meta, "finalizers")
	}
	return m
}

// collectSoon lets the garbage collector look at an object that is being deleted, if it holds it by a finalizer.
func (c *Cluster) collectSoon(s *slot) {
	all := s.cur.finalizers()
	if slices.Contains(all, metav1.FinalizerDeleteDependents) || slices.Contains(all, metav1.FinalizerOrphanDependents) {
		c.enqueue("gc/"+s.cur.uid, c.randomBetween(5*time.Millisecond, 30*time.Millisecond), func() { c.collect(s) })
	}
}

// collect does what the garbage collector does for an object that is being deleted: it orphans its dependents, or deletes them and waits until those that
// block it are gone. Then it removes its finalizer.
//
// Mirrors k8s.io/kubernetes/pkg/controller/garbagecollector.GarbageCollector (v1.36).
func (c *Cluster) collect(s *slot) {
	uid, held := s.cur.uid, s.cur.finalizers()
	switch {
	case s.isDead || !s.cur.isDeleting:
	case slices.Contains(held, metav1.FinalizerOrphanDependents):
		for _, d := range c.dependents(uid) {
			c.disownObject(d, uid)
		}
		c.removeFinalizer(s, metav1.FinalizerOrphanDependents)
	case slices.Contains(held, metav1.FinalizerDeleteDependents):
		for _, d := range c.dependents(uid) {
			c.deleteDependent(d, uid, true)
		}
		if slices.ContainsFunc(c.dependents(uid), func(d *slot) bool { return d.cur.blocks(uid) }) {
			c.enqueue("gc/"+uid, 100*time.Millisecond, func() { c.collect(s) })
			return
		}
		c.removeFinalizer(s, metav1.FinalizerDeleteDependents)
	}
}

// deleteDependentsSoon lets the garbage collector delete the dependents of an owner that is gone.
func (c *Cluster) deleteDependentsSoon(uid string) {
	c.enqueue("absent/"+uid, c.randomBetween(5*time.Millisecond, 30*time.Millisecond), func() {
		for _, d := range c.dependents(uid) {
			c.deleteDependent(d, uid, false)
		}
	})
}

// deleteDependent deletes a dependent of an owner that is gone, or that waits for it. One with another owner only loses this one.
func (c *Cluster) deleteDependent(d *slot, uid string, waits bool) {
	if d.isDead || d.cur.isDeleting {
		return
	}
	if c.hasOtherOwner(d.cur, uid) {
		c.disownObject(d, uid)
		return
	}
	var opts deleteOptions
	if dependents := c.dependents(d.cur.uid); waits && len(dependents) > 0 {
		policy := foreground
		opts.PropagationPolicy = &policy
		if slices.ContainsFunc(dependents, (*slot).waits) { // a circle, which ends here
			c.rewriteOwners(d, func(ref map[string]any) bool {
				delete(ref, "blockOwnerDeletion")
				return true
			})
		}
	}
	_, _, _ = c.delete(d, opts) // a deletion without preconditions is never refused
}

// waits reports whether an object is being deleted in the foreground.
func (s *slot) waits() bool {
	return s.cur.isDeleting && slices.Contains(s.cur.finalizers(), metav1.FinalizerDeleteDependents)
}

// blocks reports whether the object blocks the deletion of an owner.
func (o *object) blocks(uid string) bool {
	found := false
	o.get("metadata.ownerReferences").ForEach(func(_, ref gjson.Result) bool {
		found = ref.Get("uid").Str == uid && ref.Get("blockOwnerDeletion").Bool()
		return !found
	})
	return found
}

// hasOtherOwner reports whether another owner of an object than this one exists, and does not wait for it.
func (c *Cluster) hasOtherOwner(o *object, uid string) bool {
	if len(o.owners) < 2 {
		return false
	}
	found := false
	o.get("metadata.ownerReferences").ForEach(func(_, ref gjson.Result) bool {
		for _, r := range c.order {
			if r.kind == ref.Get("kind").Str && r.apiVersion() == ref.Get("apiVersion").Str {
				key := ref.Get("name").Str
				if r.namespaced {
					key = joinKey(o.namespace, key)
				}
				s := r.byKey[key]
				found = found || s != nil && s.cur.uid != uid && s.cur.uid == ref.Get("uid").Str && !s.waits()
			}
		}
		return !found
	})
	return found
}

// dependents returns the objects that name an owner.
func (c *Cluster) dependents(uid string) []*slot {
	out := slices.Clone(c.slotsByOwner[uid])
	if c.secondOwners[uid] == 0 {
		return out
	}
	for _, r := range c.order {
		for _, s := range r.slots() {
			if slices.Contains(s.cur.secondOwners(), uid) {
				out = append(out, s)
			}
		}
	}
	return out
}

// secondOwners are the owners that do not manage the object.
func (o *object) secondOwners() []string {
	if o == nil || len(o.owners) == 0 {
		return nil
	}
	return o.owners[1:]
}

// countOwners keeps c.secondOwners when one version of an object follows another; nil is none.
func (c *Cluster) countOwners(before, after *object) {
	for _, uid := range after.secondOwners() {
		c.secondOwners[uid]++
	}
	for _, uid := range before.secondOwners() {
		if c.secondOwners[uid]--; c.secondOwners[uid] == 0 {
			delete(c.secondOwners, uid)
		}
	}
}

// removeFinalizer removes a finalizer from an object that is being deleted, and with the last one the object.
func (c *Cluster) removeFinalizer(s *slot, name string) {
	kept := slices.DeleteFunc(s.cur.finalizers(), func(f string) bool { return f == name })
	if len(kept) == 0 && (s.res != c.pods || s.cur.get("metadata.deletionGracePeriodSeconds").Int() == 0) {
		c.remove(s)
		return
	}
	if o, err := c.encode(s.cur.mapWithFinalizers(kept)); err == nil {
		c.put(s.res, o)
	}
}

// disownObject removes one owner from an object's ownerReferences.
func (c *Cluster) disownObject(s *slot, uid string) {
	c.rewriteOwners(s, func(ref map[string]any) bool { return ref["uid"] != uid })
}

// rewriteOwners writes an object with those of its ownerReferences that keep keeps; it may change them.
func (c *Cluster) rewriteOwners(s *slot, keep func(ref map[string]any) bool) {
	m := s.cur.mustMap()
	meta := ensureMap(m, "metadata")
	refs := slices.DeleteFunc(anyList(meta["ownerReferences"]), func(v any) bool {
		ref, _ := v.(map[string]any)
		return !keep(ref)
	})
	if meta["ownerReferences"] = refs; len(refs) == 0 {
		delete(meta, "ownerReferences")
	}
	if o, err := c.encode(m); err == nil {
		c.put(s.res, o)
	}
}

// adopt makes a workload that has nothing the controller of the objects that its selector matches and that have no owner. So one that is made again takes
// over what its predecessor has left as orphans. Kubernetes adopts at any time.
func (c *Cluster) adopt(owner *slot, r *resource) {
	if len(c.slotsByOwner[owner.cur.uid]) > 0 {
		return
	}
	var written metav1.LabelSelector
	if json.Unmarshal([]byte(owner.cur.get("spec.selector").Raw), &written) != nil {
		return
	}
	selector, err := metav1.LabelSelectorAsSelector(&written)
	if err != nil || selector.Empty() {
		return
	}
	for _, o := range r.objects(owner.cur.namespace) {
		if len(o.owners) > 0 || o.isDeleting || o.phase == "Succeeded" || o.phase == "Failed" || !selector.Matches(o.labels) {
			continue
		}
		m := o.mustMap()
		ensureMap(m, "metadata")["ownerReferences"] = []any{map[string]any{"apiVersion": owner.res.apiVersion(), "kind": owner.res.kind, "name": owner.cur.name,
			"uid": owner.cur.uid, "controller": true, "blockOwnerDeletion": true}}
		if n, err := c.encode(m); err == nil {
			c.put(r, n)
		}
	}
}
