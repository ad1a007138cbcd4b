package simcluster

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	leasePeriod      = 10 * time.Second
	nodeStatusPeriod = time.Minute
	// syncDelay is the simulated time until a controller's informer has received a change and a worker takes the key.
	syncDelay = 25 * time.Millisecond
	// podBurst is how many pods a replica set creates or deletes in one sync, as in Kubernetes.
	podBurst = 500
)

type replicaSetSim struct{ template *podTemplate }

// notifyControllers notifies the controllers of a write through the API; old is nil for a new object.
func (c *Cluster) notifyControllers(s *slot, old *object) {
	if c.isSeeding {
		return // the initial state needs no controllers
	}
	switch s.res {
	case c.deployments:
		c.syncDeploymentSoon(s.key)
	case c.replicaSets:
		s.rs = nil
		c.syncReplicaSetSoon(s)
		c.enqueueOwner(s.ownerUID)
	case c.pods:
		c.updatePodSim(s, old)
		if old != nil && len(old.owners) > 0 && old.owners[0] != s.ownerUID {
			c.enqueueOwner(old.owners[0])
		}
		c.enqueueOwner(s.ownerUID)
	case c.crds:
		c.syncCRD(s)
	case c.nodes:
		if old == nil {
			c.refreshNodes()
		}
	case c.namespaces:
		if old == nil {
			name := s.cur.name
			c.enqueue("ca/"+name, syncDelay, func() {
				c.mustCreate(c.resources[groupResource{"", "configmaps"}], name, "kube-controller-manager", rootCA())
			})
		}
	}
}

// enqueueOwner enqueues the owner of an object that changed, if a controller here manages it.
func (c *Cluster) enqueueOwner(uid string) {
	if uid == "" || c.isStill {
		return
	}
	c.enqueue("owner/"+uid, syncDelay, func() {
		if s := c.replicaSets.uids[uid]; s != nil {
			c.syncReplicaSet(s)
		} else if s := c.deployments.uids[uid]; s != nil {
			c.syncDeployment(s.key)
		}
	})
}

func (c *Cluster) syncReplicaSetSoon(s *slot) {
	c.enqueue("rs/"+s.cur.uid, syncDelay, func() { c.syncReplicaSet(s) })
}

func (c *Cluster) syncDeploymentSoon(key string) {
	c.enqueue("deployment/"+key, syncDelay, func() { c.syncDeployment(key) })
}

// ownedBy returns the objects of a resource that the owner with this uid manages, sorted by key.
func (c *Cluster) ownedBy(r *resource, uid string) []*slot {
	var out []*slot
	for _, s := range c.slotsByOwner[uid] {
		if s.res == r {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *slot) int { return strings.Compare(a.key, b.key) })
	return out
}

func templateHash(template any) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(mustJSON(template))) // a hash never fails
	n := h.Sum32()
	var b [9]byte
	for i := range b {
		b[i] = nameAlphabet[n%uint32(len(nameAlphabet))]
		n = n/7 ^ n<<9
	}
	return string(b[:])
}

// replicaSetName leaves room for the suffixes of the pods' names.
func replicaSetName(deployment, hash string) string {
	return deployment[:min(len(deployment), 243)] + "-" + hash
}

// createReplicaSet creates the replica set for a deployment's current template. m is the deployment, and d.plan is that of m.
func (c *Cluster) createReplicaSet(d *slot, m map[string]any, replicas, revision int) *slot {
	template := maps.Clone(ensureMap(ensureMap(m, "spec"), "template")) // what is in its spec is complete, and only read
	template["metadata"] = runtime.DeepCopyJSONValue(template["metadata"])
	set := ensureMap(ensureMap(template, "metadata"), "labels")
	set["pod-template-hash"] = d.plan.hash
	match := map[string]any{"pod-template-hash": d.plan.hash}
	maps.Copy(match, getMap(m, "spec", "selector", "matchLabels"))
	made := c.mustCreate(c.replicaSets, d.cur.namespace, "kube-controller-manager", map[string]any{
		"metadata": map[string]any{
			"name": d.plan.replicaSet, "labels": runtime.DeepCopyJSONValue(set),
			"annotations": map[string]any{"deployment.kubernetes.io/revision": strconv.Itoa(revision),
				"deployment.kubernetes.io/desired-replicas": strconv.Itoa(getInt(m, 1, "spec", "replicas"))},
			"ownerReferences": []any{map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": d.cur.name,
				"uid": d.cur.uid, "controller": true, "blockOwnerDeletion": true}},
		},
		"spec": map[string]any{"replicas": replicas, "selector": map[string]any{"matchLabels": match}, "template": template},
	})
	if made != nil {
		c.noteScaling(made, 0, replicas)
	}
	return made
}

// templateOf returns what the pods of a replica set share.
func (c *Cluster) templateOf(s *slot) *podTemplate {
	if s.rs != nil {
		return s.rs.template
	}
	spec := s.cur.get("spec.template.spec")
	set := s.cur.get("spec.template.metadata.labels")
	t := &podTemplate{
		generateName: s.cur.name[:min(len(s.cur.name), 248)] + "-",
		labels:       labels.Set{},
		labelsJSON:   set.Raw,
		annotations:  s.cur.get("spec.template.metadata.annotations").Raw,
		ownerRef: mustJSON(map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": s.cur.name, "uid": s.cur.uid,
			"controller": true, "blockOwnerDeletion": true}),
		ownerUID:   s.cur.uid,
		spec:       c.completeTemplate(spec.Raw),
		containers: containersOf(spec),
		crashes:    s.cur.get("spec.template.metadata.annotations."+strings.ReplaceAll(Crashes, ".", "\\.")).String() == "true",
	}
	set.ForEach(func(k, v gjson.Result) bool {
		t.labels[k.String()] = v.String()
		return true
	})
	if t.labelsJSON == "" {
		t.labelsJSON = "{}"
	}
	s.rs = &replicaSetSim{template: t}
	return t
}

// countPods returns how many pods of a replica set exist and how many are ready.
func (c *Cluster) countPods(uid string) (total, ready int) {
	for _, p := range c.slotsByOwner[uid] {
		if p.res != c.pods || p.cur.isDeleting || p.cur.phase == "Succeeded" || p.cur.phase == "Failed" {
			continue
		}
		total++
		if p.pod != nil && p.pod.stage == stageRunning && p.pod.ready {
			ready++
		}
	}
	return total, ready
}

func (c *Cluster) syncReplicaSet(s *slot) {
	if s.isDead || s.cur.isDeleting {
		return
	}
	want := s.cur.replicas()
	if want > 0 {
		c.adopt(s, c.pods)
	}
	have, _ := c.countPods(s.cur.uid)
	switch {
	case have < want:
		n := min(want-have, podBurst)
		for range n {
			if pod := c.createPod(s.cur.namespace, c.templateOf(s), false); pod != nil {
				c.noteEvent(s, "replicaset-controller", "SuccessfulCreate", "Created pod: %s", pod.cur.name)
			}
		}
		if n < want-have {
			c.syncReplicaSetSoon(s)
		}
	case have > want:
		var pods []*slot
		for _, p := range c.ownedBy(c.pods, s.cur.uid) {
			if !p.cur.isDeleting && p.cur.phase != "Succeeded" && p.cur.phase != "Failed" {
				pods = append(pods, p)
			}
		}
		// Delete first the pods that matter least: not scheduled, not running, not ready, youngest.
		slices.SortStableFunc(pods, func(a, b *slot) int {
			if x := int(a.pod.stage) - int(b.pod.stage); x != 0 {
				return x
			}
			if a.pod.ready != b.pod.ready {
				if a.pod.ready {
					return 1
				}
				return -1
			}
			return int(b.pod.createdAt - a.pod.createdAt)
		})
		for _, p := range pods[:min(have-want, podBurst)] {
			name := p.cur.name
			_, _, _ = c.delete(p, deleteOptions{}) // a deletion without preconditions is never refused
			c.noteEvent(s, "replicaset-controller", "SuccessfulDelete", "Deleted pod: %s", name)
		}
		if have-want > podBurst {
			c.syncReplicaSetSoon(s)
		}
	}
	c.updateReplicaSetStatus(s)
}

func (c *Cluster) updateReplicaSetStatus(s *slot) {
	total, ready := c.countPods(s.cur.uid)
	st, generation := s.cur.get("status"), s.cur.generation()
	if int(st.Get("replicas").Int()) == total && int(st.Get("readyReplicas").Int()) == ready && int(st.Get("observedGeneration").Int()) == generation {
		return // fields that another client wrote into the status stay, as in Kubernetes
	}
	if c.storeStatus(s, replicaSetStatus(total, ready, generation)) {
		c.enqueueOwner(s.ownerUID)
	}
}

// portion resolves an int-or-percent value against n.
func portion(v any, n int, up bool, def int) int {
	switch v := v.(type) {
	case string:
		p, err := strconv.Atoi(strings.TrimSuffix(v, "%"))
		if err != nil || p < 0 {
			return def
		}
		x := min(float64(n)*float64(p)/100, MaxObjects)
		if up {
			return int(math.Ceil(x))
		}
		return int(x)
	case nil:
		return def
	}
	return min(max(0, getInt(map[string]any{"v": v}, def, "v")), MaxObjects)
}

// syncDeployment moves a deployment's replica sets towards its template and size.
//
// Mirrors k8s.io/kubernetes/pkg/controller/deployment rolling.go and recreate.go (v1.36) in what they write, with minReadySeconds taken as zero.
func (c *Cluster) syncDeployment(key string) {
	d := c.deployments.byKey[key]
	if d == nil || d.cur.isDeleting {
		return
	}
	c.adopt(d, c.replicaSets)
	plan := c.planOf(d)
	want := plan.replicas
	var current *slot
	var old []*slot
	revision := 0
	for _, rs := range c.ownedBy(c.replicaSets, d.cur.uid) {
		n, _ := strconv.Atoi(rs.cur.get(`metadata.annotations.deployment\.kubernetes\.io/revision`).String())
		revision = max(revision, n)
		if rs.cur.name == plan.replicaSet {
			current = rs
		} else {
			old = append(old, rs)
		}
	}
	oldSize := 0
	for _, rs := range old {
		oldSize += rs.cur.replicas()
	}
	paused, recreate := plan.paused, plan.recreate
	surge, unavailable := plan.surge, plan.unavailable
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	switch {
	case paused && current == nil:
	case recreate && oldSize > 0:
		for _, rs := range old {
			c.resize(rs, 0)
		}
	case recreate && c.anyPods(old):
		// Check again until the old pods are gone.
		c.enqueue("deployment/"+key, 200*time.Millisecond, func() { c.syncDeployment(key) })
	default:
		first := want
		if oldSize > 0 && !recreate {
			first = max(0, min(want, want+surge-oldSize))
		}
		if current == nil {
			current = c.createReplicaSet(d, d.cur.mustMap(), first, revision+1)
			if current == nil {
				return
			}
			c.setRevision(d, revision+1)
		} else if oldSize == 0 {
			c.resize(current, want)
		} else if !paused {
			have := current.cur.replicas()
			switch room := want + surge - oldSize - have; {
			case have > want:
				c.resize(current, want)
			case room > 0 && have < want:
				c.resize(current, min(want, have+room))
			}
			c.shrinkOld(old, current, want-unavailable)
		}
	}
	c.updateDeploymentStatus(d, current)
	c.pruneHistory(d, old)
}

func (c *Cluster) anyPods(sets []*slot) bool {
	for _, rs := range sets {
		if len(c.slotsByOwner[rs.cur.uid]) > 0 {
			return true
		}
	}
	return false
}

// shrinkOld scales old replica sets down, unready pods first, as far as enough pods stay available.
func (c *Cluster) shrinkOld(old []*slot, current *slot, minAvailable int) {
	total, available := 0, 0
	for _, rs := range append(slices.Clone(old), current) {
		_, ready := c.countPods(rs.cur.uid)
		total += rs.cur.replicas()
		available += ready
	}
	_, currentReady := c.countPods(current.cur.uid)
	currentMissing := current.cur.replicas() - currentReady
	room := total - minAvailable - currentMissing
	for _, rs := range old {
		n := rs.cur.replicas()
		_, ready := c.countPods(rs.cur.uid)
		if sick := min(n-ready, room); sick > 0 {
			c.resize(rs, n-sick)
			room -= sick
		}
	}
	spare := min(room, available-minAvailable)
	for _, rs := range old {
		n := rs.cur.replicas()
		if cut := min(n, spare); cut > 0 {
			c.resize(rs, n-cut)
			spare -= cut
		}
	}
}

// resize sets spec.replicas of a deployment or replica set.
func (c *Cluster) resize(s *slot, n int) {
	if s.cur.replicas() == n {
		return
	}
	m := s.cur.mustMap()
	ensureMap(m, "spec")["replicas"] = n
	meta := ensureMap(m, "metadata")
	meta["generation"] = getInt(meta, 1, "generation") + 1
	o, err := c.encode(m)
	if err != nil {
		return
	}
	replicas := s.cur.replicas()
	c.put(s.res, o)
	if s.res == c.replicaSets {
		c.noteScaling(s, replicas, n)
		c.syncReplicaSetSoon(s)
	} else {
		c.syncDeploymentSoon(s.key)
	}
}

// noteScaling notes that a deployment has scaled one of its replica sets.
func (c *Cluster) noteScaling(set *slot, from, to int) {
	if from == to {
		return
	}
	way := "up"
	if to < from {
		way = "down"
	}
	c.noteEvent(c.deployments.uids[set.ownerUID], "deployment-controller", "ScalingReplicaSet", "Scaled %s replica set %s from %d to %d", way, set.cur.name,
		from, to)
}

func (c *Cluster) setRevision(d *slot, n int) {
	m := d.cur.mustMap()
	a := ensureMap(ensureMap(m, "metadata"), "annotations")
	if a["deployment.kubernetes.io/revision"] == strconv.Itoa(n) {
		return
	}
	a["deployment.kubernetes.io/revision"] = strconv.Itoa(n)
	if o, err := c.encode(m); err == nil {
		c.put(c.deployments, o)
	}
}

func (c *Cluster) updateDeploymentStatus(d, current *slot) {
	plan := c.planOf(d)
	want := plan.replicas
	total, ready, updated := 0, 0, 0
	for _, rs := range c.slotsByOwner[d.cur.uid] {
		if rs.res != c.replicaSets {
			continue
		}
		t, r := c.countPods(rs.cur.uid)
		total, ready = total+t, ready+r
		if rs == current {
			updated = t
		}
	}
	available := ready >= want-plan.unavailable
	reason, message := "MinimumReplicasAvailable", "Deployment has minimum availability."
	if !available {
		reason, message = "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
	}
	conditions := d.cur.get("status.conditions")
	var w statusWriter
	w.positive("availableReplicas", ready)
	w.key("conditions")
	w.b = c.appendOwnerCondition(append(w.b, '['), conditions, "Available", available, reason, message)
	if current != nil {
		reason, message = "ReplicaSetUpdated", fmt.Sprintf("ReplicaSet %q is progressing.", current.cur.name)
		if updated == want && ready >= want && total == want {
			reason, message = "NewReplicaSetAvailable", fmt.Sprintf("ReplicaSet %q has successfully progressed.", current.cur.name)
		}
		w.b = c.appendOwnerCondition(append(w.b, ','), conditions, "Progressing", true, reason, message)
	}
	w.b = append(w.b, ']')
	w.number("observedGeneration", d.cur.generation())
	w.positive("readyReplicas", ready)
	w.positive("replicas", total)
	w.positive("unavailableReplicas", max(0, want-ready))
	w.positive("updatedReplicas", updated)
	c.storeStatus(d, w.finish())
}

// pruneHistory deletes the oldest empty replica sets beyond spec.revisionHistoryLimit.
func (c *Cluster) pruneHistory(d *slot, old []*slot) {
	limit := 10
	if v := d.cur.get("spec.revisionHistoryLimit"); v.Exists() {
		limit = int(v.Int())
	}
	var empty []*slot
	for _, rs := range old {
		if rs.cur.replicas() == 0 && len(c.slotsByOwner[rs.cur.uid]) == 0 && !rs.cur.isDeleting {
			empty = append(empty, rs)
		}
	}
	if len(empty) <= limit {
		return
	}
	rev := func(s *slot) int64 {
		return s.cur.get(`metadata.annotations.deployment\.kubernetes\.io/revision`).Int()
	}
	slices.SortStableFunc(empty, func(a, b *slot) int { return int(rev(a) - rev(b)) })
	for _, rs := range empty[:len(empty)-limit] {
		_, _, _ = c.delete(rs, deleteOptions{}) // a deletion without preconditions is never refused
	}
}

// finishNamespace deletes the objects of a namespace that is being deleted, and then the namespace.
func (c *Cluster) finishNamespace(name string) *object {
	ns := c.namespaces.byKey[name]
	if ns == nil || !ns.cur.isDeleting {
		return nil
	}
	left := 0
	for _, r := range c.order {
		if !r.namespaced {
			continue
		}
		for _, o := range r.objects(name) {
			if s := r.byKey[o.key()]; s != nil {
				if _, gone, _ := c.delete(s, deleteOptions{}); !gone { // a deletion without preconditions is never refused
					left++
				}
			}
		}
	}
	if left > 0 && !c.isStill {
		c.enqueue("ns/"+name, 500*time.Millisecond, func() { c.finishNamespace(name) })
		return ns.cur
	}
	return c.remove(ns)
}

func (c *Cluster) refreshNodes() { c.nodeList = slices.Clone(c.nodes.slots()) }

// heartbeat renews a node's lease and, less often, updates its status.
func (c *Cluster) heartbeat(node *slot, first time.Duration) {
	beats := 0
	var beat func()
	beat = func() {
		if node.isDead {
			return
		}
		if c.awayNodes[node.cur.name] {
			c.runAfter(leasePeriod, beat)
			return
		}
		if lease := c.leases.byKey["kube-node-lease/"+node.cur.name]; lease != nil {
			m := lease.cur.mustMap()
			ensureMap(m, "spec")["renewTime"] = microStamp(c.now)
			if o, err := c.encode(m); err == nil {
				c.put(c.leases, o)
			}
		}
		if beats++; beats%int(nodeStatusPeriod/leasePeriod) == 0 {
			m := node.cur.mustMap()
			for _, x := range anyList(getMap(m, "status")["conditions"]) {
				if cond, ok := x.(map[string]any); ok {
					cond["lastHeartbeatTime"] = stamp(c.now)
				}
			}
			if o, err := c.encode(m); err == nil {
				c.put(c.nodes, o)
			}
		}
		c.runAfter(leasePeriod, beat)
	}
	c.runAfter(first+time.Millisecond, beat)
}
