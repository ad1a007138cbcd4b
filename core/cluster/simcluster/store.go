package simcluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/labels"
)

// object is one version of an object. It never changes once stored, so it can be read without the lock.
type object struct {
	namespace, name, uid string
	rev                  uint64
	// raw is the JSON without kind and apiVersion, which are added to each answer as needed.
	raw []byte
	// rvOff and rvEnd enclose the digits of metadata.resourceVersion in raw. specOff and statusOff are where the values of spec and status begin, 0 if
	// there is none; statusEnd is where status ends.
	rvOff, rvEnd, specOff, statusOff, statusEnd int

	labels          labels.Set
	owners          []string // uids, the managing owner first
	nodeName, phase string   // of pods
	isDeleting      bool
	hasFinalizers   bool
	schema          Schema // of the version that stored it; nil if no schema has to show it
}

func (o *object) key() string { return joinKey(o.namespace, o.name) }

func joinKey(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// slot is an object during its whole life; cur is its latest version.
type slot struct {
	res    *resource
	key    string
	cur    *object
	isDead bool

	poolIdx  int // in res.pool
	ownerUID string
	ownerIdx int // in Cluster.slotsByOwner[ownerUID]

	pod  *podSim         // of pods
	rs   *replicaSetSim  // of replica sets
	plan *deploymentPlan // of deployments
	node *nodeFacts      // of nodes
}

type eventType uint8

const (
	added eventType = iota
	modified
	deleted
)

var eventPrefix = [...]string{
	added:    `{"type":"ADDED","object":`,
	modified: `{"type":"MODIFIED","object":`,
	deleted:  `{"type":"DELETED","object":`,
}

// event is an entry of a resource's history. obj is the object after the event; for a deletion it is the last state with the deletion's
// resourceVersion. prev is the version before.
type event struct {
	typ  eventType
	rev  uint64
	obj  *object
	prev *object
}

// resource is one version of a resource: its discovery data, and the objects and history that it shares with the other versions.
type resource struct {
	kindInfo
	*storage
	now       func() time.Time // the cluster's clock
	isRemoved bool             // its CRD was changed or deleted
}

// storage holds the objects of a resource and their history.
type storage struct {
	definition     string               // of a custom resource: what its versions were made from
	versions       map[string]*resource // by name
	storageVersion string

	byKey       map[string]*slot
	uids        map[string]*slot // by uid; only for resources whose controllers look objects up by it
	pool        []*slot          // unordered; to pick one at random
	sortedSlots []*slot          // by key; may contain dead slots
	newSlots    []*slot          // not yet in sortedSlots
	deadNum     int              // dead slots in sortedSlots and newSlots

	maxRing    int // the greatest size of the ring
	ring       []event
	start, end uint64 // sequence numbers of the events in the ring: start <= n < end
	floor      uint64 // a watch from before this version is too old
	change     chan struct{}
	watchers   map[*watcher]bool // that are open
}

func (r *storage) clearHistory() {
	clear(r.ring)
	r.start = r.end
}

func (r *storage) event(seq uint64) *event { return &r.ring[seq%uint64(len(r.ring))] }

// record appends an event, drops the oldest if the ring is full, and wakes the watches.
//
// Mirrors k8s.io/apiserver/pkg/storage/cacher watchCache: once an event was dropped, the oldest version to start from is one less than the oldest
// event's.
func (c *Cluster) record(r *resource, e event) {
	if r.end-r.start == uint64(len(r.ring)) {
		if len(r.ring) < r.maxRing {
			r.growRing()
		} else {
			r.start++
			//maporder:free each watch ends by itself
			for w := range r.watchers {
				if since := w.writesSince.Load(); since != 0 && w.cursor < r.start && c.now.UnixNano()-since > int64(maxWrite) {
					_ = w.ctl.SetWriteDeadline(time.Unix(1, 0)) // which ends Write; a page's writer has no deadline
				}
			}
			r.floor = max(r.floor, r.event(r.start).rev-1)
			if r.start == r.end {
				r.floor = max(r.floor, e.rev-1)
			}
		}
	}
	*r.event(r.end) = e
	r.end++
	c.writes++
	c.tell(r, &e)
	r.wake()
}

// wake makes the watches check for events again.
func (r *storage) wake() {
	if r.change != nil {
		close(r.change)
		r.change = nil
	}
}

func (r *storage) growRing() {
	ring := make([]event, min(max(64, 2*len(r.ring)), r.maxRing))
	for seq := r.start; seq < r.end; seq++ {
		ring[seq%uint64(len(ring))] = *r.event(seq)
	}
	r.ring = ring
}

// wait returns a channel that is closed at the resource's next event, or when wake is called.
func (r *storage) wait() <-chan struct{} {
	if r.change == nil {
		r.change = make(chan struct{})
	}
	return r.change
}

// seqAfter returns the sequence number of the first event in the ring with a version greater than rev.
func (r *storage) seqAfter(rev uint64) uint64 {
	n := sort.Search(int(r.end-r.start), func(i int) bool { return r.event(r.start+uint64(i)).rev > rev })
	return r.start + uint64(n)
}

// slots returns the live slots sorted by key, as etcd lists them.
func (r *storage) slots() []*slot {
	if len(r.newSlots) == 0 && r.deadNum == 0 {
		return r.sortedSlots
	}
	slices.SortFunc(r.newSlots, func(a, b *slot) int { return strings.Compare(a.key, b.key) })
	merged := make([]*slot, 0, len(r.byKey)+len(r.byKey)/16)
	old, fresh := r.sortedSlots, r.newSlots
	for len(old) > 0 || len(fresh) > 0 {
		var s *slot
		if len(fresh) == 0 || len(old) > 0 && old[0].key <= fresh[0].key {
			s, old = old[0], old[1:]
		} else {
			s, fresh = fresh[0], fresh[1:]
		}
		if !s.isDead {
			merged = append(merged, s)
		}
	}
	r.sortedSlots, r.newSlots, r.deadNum = merged, nil, 0
	return merged
}

// objects returns the latest versions of all objects in the namespace, or in all namespaces if it is empty, sorted by key.
func (r *storage) objects(namespace string) []*object {
	slots := r.slots()
	if namespace != "" {
		lo := sort.Search(len(slots), func(i int) bool { return slots[i].key >= namespace+"/" })
		hi := sort.Search(len(slots), func(i int) bool { return slots[i].key >= namespace+"0" }) // '0' follows '/'
		slots = slots[lo:hi]
	}
	objects := make([]*object, len(slots))
	for i, s := range slots {
		objects[i] = s.cur
	}
	return objects
}

// objectsAt returns the objects at an earlier version, by undoing the history. The caller has checked the floor.
func (r *storage) objectsAt(rev uint64, namespace string) []*object {
	before := map[string]*object{}
	for seq := r.end; seq > r.start; {
		seq--
		e := r.event(seq)
		if e.rev <= rev {
			break
		}
		before[e.obj.key()] = e.prev
	}
	objects := r.objects(namespace)
	if len(before) == 0 {
		return objects
	}
	out := make([]*object, 0, len(objects))
	for _, o := range objects {
		if _, changed := before[o.key()]; !changed {
			out = append(out, o)
		}
	}
	//maporder:free sorted below, and no two have one key
	for _, o := range before {
		if o != nil && (namespace == "" || o.namespace == namespace) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *object) int { return strings.Compare(a.key(), b.key()) })
	return out
}

// put stores a new version, whose rev must be c.rev+1, and wakes the watches.
func (c *Cluster) put(r *resource, o *object) *slot {
	c.rev++
	key := o.key()
	s, exists := r.byKey[key]
	if exists {
		prev := s.cur
		if o.schema == nil {
			o.schema = prev.schema
		}
		s.cur = o
		c.countOwners(prev, o)
		c.reown(s)
		c.record(r, event{typ: modified, rev: o.rev, obj: o, prev: prev})
		return s
	}
	s = &slot{res: r, key: key, cur: o, poolIdx: len(r.pool)}
	r.byKey[s.key] = s
	if r.uids != nil {
		r.uids[o.uid] = s
	}
	r.pool = append(r.pool, s)
	r.newSlots = append(r.newSlots, s)
	c.countOwners(nil, o)
	c.reown(s)
	c.record(r, event{typ: added, rev: o.rev, obj: o})
	return s
}

// drop removes an object. The event contains its last state with the version of the deletion.
func (c *Cluster) drop(s *slot) *object {
	c.rev++
	last := withRevision(s.cur, c.rev)
	r := s.res
	delete(r.byKey, s.key)
	if r.uids != nil {
		delete(r.uids, s.cur.uid)
	}
	tail := r.pool[len(r.pool)-1]
	r.pool[s.poolIdx], tail.poolIdx = tail, s.poolIdx
	r.pool[len(r.pool)-1] = nil
	r.pool = r.pool[:len(r.pool)-1]
	s.isDead = true
	if r.deadNum++; r.deadNum > 256 && r.deadNum > len(r.byKey)/8 {
		r.slots() // otherwise the dead of a resource that is never listed would stay in memory
	}
	c.countOwners(s.cur, nil)
	c.disown(s)
	c.record(r, event{typ: deleted, rev: c.rev, obj: last, prev: s.cur})
	return last
}

func (c *Cluster) reown(s *slot) {
	uid := ""
	if len(s.cur.owners) > 0 {
		uid = s.cur.owners[0]
	}
	if uid == s.ownerUID {
		return
	}
	c.disown(s)
	s.ownerUID = uid
	s.ownerIdx = len(c.slotsByOwner[uid])
	c.slotsByOwner[uid] = append(c.slotsByOwner[uid], s)
}

func (c *Cluster) disown(s *slot) {
	if s.ownerUID == "" {
		return
	}
	list := c.slotsByOwner[s.ownerUID]
	tail := list[len(list)-1]
	list[s.ownerIdx], tail.ownerIdx = tail, s.ownerIdx
	list[len(list)-1] = nil
	if list = list[:len(list)-1]; len(list) == 0 {
		delete(c.slotsByOwner, s.ownerUID)
	} else {
		c.slotsByOwner[s.ownerUID] = list
	}
	s.ownerUID = ""
}

// withRevision returns a copy of o with another resourceVersion.
func withRevision(o *object, rev uint64) *object {
	n := *o
	n.rev = rev
	var digits [20]byte
	rv := strconv.AppendUint(digits[:0], rev, 10)
	n.raw = make([]byte, 0, len(o.raw)+len(rv)-(o.rvEnd-o.rvOff))
	n.raw = append(append(append(n.raw, o.raw[:o.rvOff]...), rv...), o.raw[o.rvEnd:]...)
	n.shift(len(rv) - (o.rvEnd - o.rvOff))
	n.rvEnd = n.rvOff + len(rv)
	return &n
}

// shift moves the offsets after metadata.resourceVersion.
func (o *object) shift(d int) {
	if o.specOff > o.rvOff {
		o.specOff += d
	}
	if o.statusOff > o.rvOff {
		o.statusOff += d
		o.statusEnd += d
	}
}

var errBound = errors.New("pod is already assigned to a node")

// index reads from raw the fields that the server itself needs.
func index(raw []byte) *object {
	o := &object{raw: raw}
	root := gjson.ParseBytes(raw)
	root.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "metadata":
			v.ForEach(func(mk, mv gjson.Result) bool {
				switch mk.Str {
				case "name":
					o.name = mv.String()
				case "namespace":
					o.namespace = mv.String()
				case "uid":
					o.uid = mv.String()
				case "resourceVersion":
					o.rvOff = mv.Index + 1
					o.rvEnd = mv.Index + len(mv.Raw) - 1
					o.rev, _ = strconv.ParseUint(mv.Str, 10, 64)
				case "labels":
					o.labels = labels.Set{}
					mv.ForEach(func(lk, lv gjson.Result) bool {
						o.labels[lk.String()] = lv.String()
						return true
					})
				case "ownerReferences":
					mv.ForEach(func(_, ref gjson.Result) bool {
						uid := ref.Get("uid").String()
						if ref.Get("controller").Bool() && len(o.owners) > 0 {
							o.owners = append([]string{uid}, o.owners...)
						} else {
							o.owners = append(o.owners, uid)
						}
						return true
					})
				case "deletionTimestamp":
					o.isDeleting = mv.Str != ""
				case "finalizers":
					o.hasFinalizers = len(mv.Array()) > 0
				}
				return true
			})
		case "spec":
			o.specOff = v.Index
			o.nodeName = v.Get("nodeName").String()
		case "status":
			o.statusOff, o.statusEnd = v.Index, v.Index+len(v.Raw)
			o.phase = v.Get("phase").String()
		}
		return true
	})
	// gjson returns substrings of a copy of raw; cloning them lets that copy be freed.
	o.name, o.namespace, o.uid = strings.Clone(o.name), strings.Clone(o.namespace), strings.Clone(o.uid)
	o.nodeName, o.phase = strings.Clone(o.nodeName), strings.Clone(o.phase)
	for i, uid := range o.owners {
		o.owners[i] = strings.Clone(uid)
	}
	if len(o.labels) > 0 {
		set := make(labels.Set, len(o.labels))
		//maporder:free copied into a map
		for k, v := range o.labels {
			set[strings.Clone(k)] = strings.Clone(v)
		}
		o.labels = set
	}
	return o
}

// encode turns an object's map into a stored object with the next version. It leaves kind and apiVersion out.
func (c *Cluster) encode(m map[string]any) (*object, error) {
	ensureMap(m, "metadata")["resourceVersion"] = strconv.FormatUint(c.rev+1, 10)
	return encodeAsIs(m)
}

// encodeAsIs encodes the answer to a dry run, which makes no version: m keeps the one that it has.
func encodeAsIs(m map[string]any) (*object, error) {
	raw, err := marshalBody(m)
	if err != nil {
		return nil, err
	}
	return index(raw), nil
}

func marshalBody(m map[string]any) ([]byte, error) {
	kind, hasKind := m["kind"]
	version, hasVersion := m["apiVersion"]
	delete(m, "kind")
	delete(m, "apiVersion")
	b, err := appendJSON(make([]byte, 0, 4<<10), m, false)
	if hasKind {
		m["kind"] = kind
	}
	if hasVersion {
		m["apiVersion"] = version
	}
	// Cut off the buffer's spare capacity: a stored object never grows.
	return bytes.Clone(b), err
}

// decodeMap decodes a JSON object; its numbers keep their text.
func decodeMap(raw []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("expected a JSON object")
	}
	if _, err := d.Token(); err == nil {
		return nil, errors.New("data after the JSON object")
	}
	return m, nil
}

// mustMap decodes an object that this package has encoded.
func (o *object) mustMap() map[string]any {
	m, err := decodeMap(o.raw)
	if err != nil {
		// The bytes come from encode or from the splices in pods.go; an error is a bug in this package. The empty object then fails the caller's
		// validation.
		return map[string]any{"metadata": map[string]any{"name": o.name, "namespace": o.namespace, "uid": o.uid}}
	}
	return m
}

func ensureMap(m map[string]any, key string) map[string]any {
	if v, ok := m[key].(map[string]any); ok {
		return v
	}
	v := map[string]any{}
	m[key] = v
	return v
}

func getMap(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		next, ok := m[p].(map[string]any)
		if !ok {
			return nil
		}
		m = next
	}
	return m
}

func getString(m map[string]any, path ...string) string {
	if m = getMap(m, path[:len(path)-1]...); m == nil {
		return ""
	}
	s, _ := m[path[len(path)-1]].(string)
	return s
}

func getInt(m map[string]any, def int, path ...string) int {
	if m = getMap(m, path[:len(path)-1]...); m == nil {
		return def
	}
	switch v := m[path[len(path)-1]].(type) {
	case json.Number:
		if n, err := strconv.Atoi(string(v)); err == nil {
			return n
		}
	case int64:
		return int(v)
	case int:
		return v
	}
	return def
}
