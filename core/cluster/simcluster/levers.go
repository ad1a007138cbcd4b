package simcluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
)

// maxBurst is the greatest number of updates in one Burst.
const maxBurst = 100_000

// asError converts e to an error, and a nil e to a nil error.
func asError(e *apierrors.StatusError) error {
	if e == nil {
		return nil
	}
	return e
}

func (c *Cluster) find(r *resource, namespace, name string) (*slot, error) {
	if s := r.byKey[joinKey(namespace, name)]; s != nil {
		return s, nil
	}
	return nil, apierrors.NewNotFound(r.schemaGR(), name)
}

// CreateDeployment creates a deployment of a simulated application, and its namespace if there is none. Its errors are those of the API.
func (c *Cluster) CreateDeployment(namespace, name string, replicas int) error {
	c.lock()
	defer c.mu.Unlock()
	if c.namespaces.byKey[namespace] == nil {
		if _, e := c.create(c.namespaces, "", map[string]any{"metadata": map[string]any{"name": namespace}}, author{manager: "informerscope"}, false); e != nil {
			return e
		}
	}
	m := NewDeployment(namespace, name, replicas)
	_, e := c.create(c.deployments, namespace, m, author{manager: "informerscope"}, false)
	return asError(e)
}

// Scale sets a deployment's replicas.
func (c *Cluster) Scale(namespace, name string, replicas int) error {
	c.lock()
	defer c.mu.Unlock()
	s, err := c.find(c.deployments, namespace, name)
	if err != nil {
		return err
	}
	m := s.cur.mustMap()
	ensureMap(m, "spec")["replicas"] = replicas
	return asError(c.rewrite(s, m, "", "informerscope"))
}

// DeleteRandomPod deletes a random running pod gracefully and returns its name.
func (c *Cluster) DeleteRandomPod() (namespace, name string, err error) {
	c.lock()
	defer c.mu.Unlock()
	s := c.randomPod()
	if s == nil {
		return "", "", errors.New("no running pod to delete")
	}
	namespace, name = s.cur.namespace, s.cur.name
	_, _, e := c.delete(s, deleteOptions{})
	return namespace, name, asError(e)
}

// AddFinalizers puts Finalizer on n of the running pods that have no finalizer, the first by name. A pod that has it outlives its deletion until
// RemoveFinalizers.
func (c *Cluster) AddFinalizers(n int) error {
	c.lock()
	defer c.mu.Unlock()
	pods := c.podsWhere(func(s *slot) bool {
		return s.pod != nil && s.pod.stage == stageRunning && !s.cur.isDeleting && !s.cur.hasFinalizers
	})
	if n > len(pods) {
		return fmt.Errorf("a finalizer for %d pods: %d run without one", n, len(pods))
	}
	for _, s := range pods[:max(n, 0)] {
		if err := c.setFinalizers(s, []any{Finalizer}); err != nil {
			return err
		}
	}
	return nil
}

// RemoveFinalizers takes Finalizer off every pod.
func (c *Cluster) RemoveFinalizers() error {
	c.lock()
	defer c.mu.Unlock()
	for _, s := range c.podsWhere(func(s *slot) bool { return s.cur.hasFinalizers }) {
		kept := slices.DeleteFunc(anyList(s.cur.get("metadata.finalizers").Value()), func(f any) bool { return f == Finalizer })
		if err := c.setFinalizers(s, kept); err != nil {
			return err
		}
	}
	return nil
}

// LabelPod sets a label of a running pod, "tier=backend", or removes it, "tier-", as kubectl label does. An empty key chooses the first by name of the pods
// that it would change. LabelPod returns the pod's key. Here a replica set keeps a pod whatever its labels are.
func (c *Cluster) LabelPod(key, label string) (string, error) {
	name, value, sets := strings.Cut(label, "=")
	if !sets {
		var removes bool
		if name, removes = strings.CutSuffix(label, "-"); !removes {
			return "", fmt.Errorf("%q sets no label and removes none: write tier=backend or tier-", label)
		}
	}
	if wrong := append(validation.IsQualifiedName(name), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
		return "", fmt.Errorf("%q is no label: %s", label, strings.Join(wrong, "; "))
	}
	c.lock()
	defer c.mu.Unlock()
	pods := c.podsWhere(func(s *slot) bool {
		current, isSet := s.cur.labels[name]
		return s.pod != nil && s.pod.stage == stageRunning && !s.cur.isDeleting && (key == "" || s.key == key) && (isSet != sets || current != value)
	})
	if len(pods) == 0 {
		return "", fmt.Errorf("no running pod is changed by the label %s", label)
	}
	s := pods[0]
	m := s.cur.mustMap()
	set := ensureMap(ensureMap(m, "metadata"), "labels")
	if set[name] = value; !sets {
		delete(set, name)
	}
	return s.key, asError(c.rewrite(s, m, "", observer))
}

// podsWhere returns the pods for which ok returns true, sorted by key.
func (c *Cluster) podsWhere(ok func(*slot) bool) []*slot {
	var pods []*slot
	for _, s := range c.pods.pool {
		if ok(s) {
			pods = append(pods, s)
		}
	}
	slices.SortFunc(pods, func(a, b *slot) int { return strings.Compare(a.key, b.key) })
	return pods
}

func (c *Cluster) setFinalizers(s *slot, all []any) error {
	m := s.cur.mustMap()
	meta := ensureMap(m, "metadata")
	if meta["finalizers"] = all; len(all) == 0 {
		delete(meta, "finalizers")
	}
	return asError(c.rewrite(s, m, "", observer))
}

// RestartDeployment replaces a deployment's pods, as kubectl rollout restart does.
func (c *Cluster) RestartDeployment(namespace, name string) error {
	c.lock()
	defer c.mu.Unlock()
	s, err := c.find(c.deployments, namespace, name)
	if err != nil {
		return err
	}
	return c.restart(s)
}

func (c *Cluster) restart(s *slot) error {
	m := s.cur.mustMap()
	a := ensureMap(ensureMap(ensureMap(ensureMap(m, "spec"), "template"), "metadata"), "annotations")
	a["kubectl.kubernetes.io/restartedAt"] = c.now.UTC().Format(time.RFC3339Nano)
	return asError(c.rewrite(s, m, "", "informerscope"))
}

// Burst writes n status updates to random running pods, as fast as possible; n is at most 100,000.
func (c *Cluster) Burst(n int) error {
	if n < 0 || n > maxBurst {
		return fmt.Errorf("burst of %d: must be between 0 and %d", n, maxBurst)
	}
	for n > 0 {
		c.breathe()
		c.lock()
		for i := 0; i < tasksPerSlice && n > 0; i++ {
			s := c.randomPod()
			if s == nil {
				c.mu.Unlock()
				return errors.New("no running pod to update")
			}
			s.pod.probedAt = max(s.pod.probedAt+1, c.now.UnixMilli())
			c.rewritePod(s, podChange{})
			n--
		}
		c.mu.Unlock()
	}
	return nil
}

// Compact drops the history up to now, as a compaction does: a watch, exact list or continued list from an older version gets a 410. Open watches
// continue.
func (c *Cluster) Compact() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.order {
		r.floor = c.rev
	}
	c.snapshots = nil
}

// IgnoreShards makes the API server one without the gate ShardedListAndWatch: lists and watches have all objects, whatever their shard selector. The gate is
// alpha and off in Kubernetes 1.36, beta and on in 1.38. A watch that is open stays as it is.
func (c *Cluster) IgnoreShards(ignores bool) { c.ignoresShards.Store(ignores) }

// IgnoresShards reports whether IgnoreShards is on.
func (c *Cluster) IgnoresShards() bool { return c.ignoresShards.Load() }

// FailOver ends all open watches, as when an API server goes away, and makes another server answer from now on. That server's watch cache is behind by
// so many versions, and does not catch up until FailOver(0). A request for a newer version gets "Too large resource version", and a watch from a newer
// one stays silent. A request without a version is a consistent read, and up to date.
func (c *Cluster) FailOver(behind uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if behind == 0 {
		if c.cache != 0 {
			c.cache = 0
			for _, r := range c.order {
				r.wake()
			}
		}
		return
	}
	c.cache = max(c.rev-min(behind, c.rev), 1)
	close(c.dropCh)
	c.dropCh = make(chan struct{})
}

// IsBehind reports whether the answering server has not caught up since FailOver.
func (c *Cluster) IsBehind() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cache != 0
}

// knownVersion returns the version up to which the server answers a request about a resource: the cache's if the request has a version, otherwise the latest.
// The cache is never behind the compacted history.
func (c *Cluster) knownVersion(r *resource, rvText string) uint64 {
	if c.cache == 0 || rvText == "" {
		return c.rev
	}
	return min(max(c.cache, r.floor), c.rev)
}

// DropConnections ends all open watches cleanly, as an API server does that shuts down gracefully.
func (c *Cluster) DropConnections() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.dropCh)
	c.dropCh = make(chan struct{})
}

// Restart breaks all open watches off and refuses every request for downFor, like an API server that crashed. A dialer can call Down to refuse
// connections meanwhile.
func (c *Cluster) Restart(downFor time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.downUntil = c.clock.Now().Add(downFor)
	close(c.downCh)
	c.downCh = make(chan struct{})
}

// HasNamespace reports whether the cluster has a namespace of that name.
func (c *Cluster) HasNamespace(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.namespaces.byKey[name] != nil
}

// Down reports whether the cluster is down because of Restart.
func (c *Cluster) Down() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.downUntil.IsZero() && c.clock.Now().Before(c.downUntil)
}
