package ownwrites

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// kind is one of the two resources of a lane.
type kind int

const (
	children kind = iota
	parents
	kinds
)

// String returns the resource's name.
func (k kind) String() string { return [...]string{"pods", "replicasets"}[k] }

// guard is what stands between a reconcile and a store that lacks the controller's own writes. One worker calls its methods; forget and observe are also
// called by handlers, at any time.
type guard interface {
	// begin returns an error if the reconcile of an owner must not begin yet.
	begin(owner string) error
	// get waits until the parent may be read, and list until the children may be.
	get(ctx context.Context, owner string) error
	list(ctx context.Context) error
	// noteWrite notes the version of an object that was written for an owner.
	noteWrite(owner, uid string, k kind, key, version string)
	// deleting notes that a child is about to be deleted; undo takes that back.
	deleting(uid string) (undo func())
	// forget notes that an owner is gone; an empty uid is any.
	forget(owner, uid string)
	// observe notes what a handler got; gone is the uid of a deleted object.
	observe(k kind, version, gone string)
}

// unguarded does nothing.
type unguarded struct{}

func (unguarded) begin(string) error                         { return nil }
func (unguarded) get(context.Context, string) error          { return nil }
func (unguarded) list(context.Context) error                 { return nil }
func (unguarded) noteWrite(_, _ string, _ kind, _, _ string) {}
func (unguarded) deleting(string) (undo func())              { return func() {} }
func (unguarded) forget(_, _ string)                         {}
func (unguarded) observe(_ kind, _, _ string)                {}

// consistencyStore refuses to begin a reconcile until the stores are as new as the newest write for the owner. It notes creations and status updates, but
// no deletions: in ReplicaSet's controller its expectations look after those.
//
// Mirrors k8s.io/kubernetes pkg/controller/util/consistency.(*RealConsistencyStore) (v1.36.3).
type consistencyStore struct {
	unguarded
	stores [kinds]interface{ LastStoreSyncResourceVersion() string }

	mu      sync.Mutex
	records map[string]*ownerRecord
}

// ownerRecord has the newest versions written for an owner; an empty one is none.
type ownerRecord struct {
	uid      string
	versions [kinds]string
}

// staleError is why a reconcile may not begin: the store of a resource is older than the controller's own write.
type staleError struct {
	k           kind
	wrote, read string
}

func (e *staleError) Error() string {
	return fmt.Sprintf("the store of %s has version %s, and not yet the own write of version %s", e.k, e.read, e.wrote)
}

func (s *consistencyStore) begin(owner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := s.records[owner]
	if record == nil {
		return nil
	}
	for k, wrote := range record.versions {
		if wrote == "" {
			continue
		}
		// As there, versions that cannot be compared hold nothing back.
		read := s.stores[k].LastStoreSyncResourceVersion()
		if order, err := resourceversion.CompareResourceVersion(wrote, read); read != "" && err == nil && order > 0 {
			return &staleError{kind(k), wrote, read}
		}
	}
	delete(s.records, owner)
	return nil
}

func (s *consistencyStore) noteWrite(owner, uid string, k kind, _, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := s.records[owner]
	if record == nil || record.uid != uid {
		record = &ownerRecord{uid: uid}
		s.records[owner] = record
	}
	newest := &record.versions[k]
	if order, err := resourceversion.CompareResourceVersion(*newest, version); *newest == "" || err != nil || order < 0 {
		*newest = version
	}
}

func (s *consistencyStore) forget(owner, uid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if record := s.records[owner]; record != nil && (uid == "" || record.uid == uid) {
		delete(s.records, owner)
	}
}

// consistentReads makes each read wait. A get waits for the writes of that object, and a list for all writes of the resource, those for other owners too. A
// deletion is awaited by its uid, because its answer has no version. Nothing but the reconcile's context ends the wait.
//
// A read also waits for writes that are under way. Here there are none: one worker reads and writes, as is the default.
//
// Mirrors sigs.k8s.io/controller-runtime pkg/client.(*consistentClient) and its ConsistencyHandler (v0.25.2).
type consistentReads struct {
	unguarded
	resources [kinds]awaited

	mu      sync.Mutex
	changed chan struct{} // closed by the next observation
}

// awaited is what reads of one resource wait for.
type awaited struct {
	observedVersion uint64
	minimum         map[string]uint64 // versions by key; those that were observed are gone
	pending         map[string]bool   // the uids of deletions that no handler has seen
}

func newConsistentReads() *consistentReads {
	c := &consistentReads{changed: make(chan struct{})}
	for k := range c.resources {
		c.resources[k] = awaited{minimum: map[string]uint64{}, pending: map[string]bool{}}
	}
	return c
}

func (c *consistentReads) get(ctx context.Context, owner string) error {
	c.mu.Lock()
	version := c.resources[parents].minimum[owner]
	c.mu.Unlock()
	return c.wait(ctx, func() bool { return c.resources[parents].observedVersion >= version })
}

func (c *consistentReads) list(ctx context.Context) error {
	r := &c.resources[children]
	c.mu.Lock()
	pending := maps.Clone(r.pending)
	var version uint64
	//maporder:free the largest is the same in any order
	for _, v := range r.minimum {
		version = max(version, v)
	}
	c.mu.Unlock()
	return c.wait(ctx, func() bool {
		//maporder:free it only matters whether there is one
		for uid := range pending {
			if r.pending[uid] {
				return false
			}
		}
		return r.observedVersion >= version
	})
}

// wait returns when done, which is called with the lock, returns true.
func (c *consistentReads) wait(ctx context.Context, done func() bool) error {
	for {
		c.mu.Lock()
		isDone, changed := done(), c.changed
		c.mu.Unlock()
		if isDone {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("the read still waited for the controller's own writes: %w", ctx.Err())
		}
	}
}

func (c *consistentReads) noteWrite(_, _ string, k kind, key, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, r := number(version), &c.resources[k]; v > r.observedVersion && v > r.minimum[key] {
		r.minimum[key] = v
	}
}

func (c *consistentReads) deleting(uid string) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resources[children].pending[uid] = true
	return func() { c.observe(children, "", uid) }
}

func (c *consistentReads) observe(k kind, version, gone string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.resources[k]
	delete(r.pending, gone)
	r.observedVersion = max(r.observedVersion, number(version))
	maps.DeleteFunc(r.minimum, func(_ string, v uint64) bool { return v <= r.observedVersion })
	close(c.changed)
	c.changed = make(chan struct{})
}
