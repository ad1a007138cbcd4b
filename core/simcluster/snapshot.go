package simcluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

const (
	// savedFormat is the first line's format of what Save writes.
	savedFormat = "informerscope-cluster-1"
	// maxSavedLine bounds a line of it, in bytes: an object is at most as large as a request's body, and its managedFields.
	maxSavedLine = 16 << 20
)

// savedHeader is the first line, savedObject each further one; the last has the number of objects.
type savedHeader struct {
	Format          string `json:"format"`
	ResourceVersion uint64 `json:"resourceVersion"`
	NextIP          uint32 `json:"nextIP"`
}

type savedObject struct {
	Group    string          `json:"group,omitempty"`
	Resource string          `json:"resource,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
	Count    *int            `json:"count,omitempty"` // in the last line alone
}

// Save writes the cluster's objects as lines of JSON, for Restore. It has neither the history nor the controllers' waits. Requests go on meanwhile.
func (c *Cluster) Save(w io.Writer) error {
	c.mu.Lock()
	header := savedHeader{savedFormat, c.rev, c.ipSeq}
	type kept struct {
		group, resource string
		objects         []*object
	}
	all := []kept{{c.crds.group, c.crds.plural, c.crds.objects("")}} // first, because they make resources
	for _, r := range c.order {
		if r != c.crds && r.version == r.storageVersion { // the versions of a custom resource share their objects
			all = append(all, kept{r.group, r.plural, r.objects("")})
		}
	}
	c.mu.Unlock()
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(header); err != nil {
		return err
	}
	n := 0
	for _, k := range all {
		for _, o := range k.objects {
			if err := e.Encode(savedObject{Group: k.group, Resource: k.resource, Object: o.raw}); err != nil {
				return err
			}
			n++
		}
	}
	if err := e.Encode(savedObject{Count: &n}); err != nil {
		return err
	}
	return b.Flush()
}

// Restore returns a cluster with the objects that Save wrote, as New does with its own. Options.Objects has no meaning then. A watch cannot start from a
// version before the one that was saved.
func Restore(o Options, saved io.Reader) (*Cluster, error) {
	c := newCluster(o)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isSeeding = true
	if err := c.load(saved); err != nil {
		return nil, fmt.Errorf("the saved cluster cannot be read: %w", err)
	}
	c.isSeeding = false
	// Names and uids of the saved objects are not to be made a second time.
	c.rng = rand.New(rand.NewPCG(o.Seed, c.rev))
	c.refreshNodes()
	c.resume()
	c.begin(o)
	return c, nil
}

// resume lets the controllers and kubelets go on with what is there.
func (c *Cluster) resume() {
	uids := map[string]bool{}
	for _, r := range c.order {
		for _, s := range r.slots() {
			uids[s.cur.uid] = true
			if s.cur.isDeleting {
				c.collectSoon(s)
			}
		}
	}
	for _, s := range c.pods.slots() {
		p := c.resumePod(s.cur)
		s.pod = p
		if set := c.replicaSets.uids[s.ownerUID]; set != nil {
			p.exits = c.templateOf(set).crashes && len(p.containers) > 0
		}
		switch {
		case s.cur.isDeleting:
			c.stopPod(s)
		case p.exits && p.stage == stageRunning:
			c.exitAgain(s, p)
		default:
			c.schedulePod(s)
		}
	}
	for _, r := range []*resource{c.replicaSets, c.deployments} {
		for _, s := range r.slots() {
			c.enqueueOwner(s.cur.uid)
		}
	}
	for _, s := range c.nodes.slots() {
		if isUnreachable(s.cur) { // no kubelet is away
			c.setReachable(s, true)
		}
	}
	for _, s := range c.namespaces.slots() {
		if name := s.cur.name; s.cur.isDeleting {
			c.enqueue("ns/"+name, syncDelay, func() { c.finishNamespace(name) })
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(c.slotsByOwner)) {
		if !uids[owner] { // it was deleted before its dependents were
			c.deleteDependentsSoon(owner)
		}
	}
}

// load reads what Save wrote. Nothing in it is trusted.
func (c *Cluster) load(saved io.Reader) error {
	lines := bufio.NewScanner(saved)
	lines.Buffer(make([]byte, 0, 64<<10), maxSavedLine)
	var header savedHeader
	if !lines.Scan() {
		return errors.Join(errors.New("it is empty"), lines.Err())
	}
	if err := json.Unmarshal(lines.Bytes(), &header); err != nil || header.Format != savedFormat {
		return fmt.Errorf("its first line is not that of the format %s", savedFormat)
	}
	n := 0
	for lines.Scan() {
		var line savedObject
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("line %d: %w", n+2, err)
		}
		if line.Count != nil {
			if *line.Count != n || lines.Scan() {
				return fmt.Errorf("it has %d objects, and its last line counts %d", n, *line.Count)
			}
			c.rev, c.ipSeq = header.ResourceVersion, header.NextIP
			return lines.Err()
		}
		if err := c.loadObject(line, header.ResourceVersion); err != nil {
			return fmt.Errorf("line %d: %w", n+2, err)
		}
		n++
	}
	return errors.Join(fmt.Errorf("it ends after %d objects, without its last line", n), lines.Err())
}

func (c *Cluster) loadObject(line savedObject, newest uint64) error {
	r := c.resources[groupResource{line.Group, line.Resource}]
	if r == nil {
		return fmt.Errorf("there is no resource %s", qualifiedResource{line.Group, line.Resource})
	}
	o := index(slices.Clone(line.Object))
	if o.name == "" || o.uid == "" || o.rev == 0 || o.rev > newest || (o.namespace != "") != r.namespaced {
		return fmt.Errorf("%s %q, of version %d: its name, namespace, uid or version is not right", r.gr(), o.key(), o.rev)
	}
	if r.byKey[o.key()] != nil {
		return fmt.Errorf("%s %q is there twice", r.gr(), o.key())
	}
	if r.custom {
		o.schema = r.schema
	}
	s := c.put(r, o)
	switch r {
	case c.crds:
		c.serveCRD(s.cur.mustMap())
	case c.events:
		c.eventKeys = append(c.eventKeys, s.key)
	}
	return nil
}

// resumePod returns the simulation of a pod that goes on from its status.
func (c *Cluster) resumePod(o *object) *podSim {
	p := c.simOf(o)
	status := o.get("status")
	first := status.Get("containerStatuses.0")
	unix := func(v gjson.Result) int64 {
		if at, err := time.Parse(time.RFC3339, v.String()); err == nil {
			return at.Unix()
		}
		return p.createdAt
	}
	p.createdAt = unix(o.get("metadata.creationTimestamp"))
	p.scheduledAt, p.startedAt, p.changedAt = p.createdAt, unix(status.Get("startTime")), unix(status.Get(`conditions.#(type=="Ready").lastTransitionTime`))
	p.restarts = int(first.Get("restartCount").Int())
	p.inBackoff = first.Get("state.waiting.reason").String() == "CrashLoopBackOff"
	p.ready = status.Get(`conditions.#(type=="Ready").status`).String() == "True"
	if ip := status.Get("podIP").String(); ip != "" {
		var third, fourth uint32
		if _, err := fmt.Sscanf(ip, "10.244.%d.%d", &third, &fourth); err == nil && fourth > 0 {
			p.ip = third*254 + fourth - 1
		}
	}
	switch {
	case o.phase == "Succeeded" || o.phase == "Failed":
		p.stage = stageDone
	case o.phase == "Running":
		p.stage = stageRunning
	case o.nodeName != "" && first.Exists():
		p.stage = stageCreating
	}
	return p
}
