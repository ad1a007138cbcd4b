package simcluster

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxBurst is the most updates that one Burst makes.
const maxBurst = 100_000

// asError keeps a nil *StatusError from becoming a non-nil error.
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

// CreateDeployment creates a deployment of a simulated application, and its namespace if there is none. The error is what
// the API would answer.
func (c *Cluster) CreateDeployment(namespace, name string, replicas int) error {
	c.lock()
	defer c.mu.Unlock()
	if c.namespaces.byKey[namespace] == nil {
		if _, e := c.create(c.namespaces, "", map[string]any{"metadata": map[string]any{"name": namespace}}, "informerscope", false); e != nil {
			return e
		}
	}
	_, e := c.create(c.deployments, namespace, deploymentObject(app{namespace, name, "backend", name + ":1.0.0"}, replicas), "informerscope", false)
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
	_, e := c.update(s, m, m, "", "informerscope", false)
	return asError(e)
}

// DeleteDeployment deletes a deployment; its replica sets and pods follow.
func (c *Cluster) DeleteDeployment(namespace, name string) error {
	return c.deleteNamed(c.deployments, namespace, name)
}

// DeletePod deletes a pod gracefully.
func (c *Cluster) DeletePod(namespace, name string) error {
	return c.deleteNamed(c.pods, namespace, name)
}

func (c *Cluster) deleteNamed(r *resource, namespace, name string) error {
	c.lock()
	defer c.mu.Unlock()
	s, err := c.find(r, namespace, name)
	if err != nil {
		return err
	}
	_, _, e := c.delete(s, deleteOptions{})
	return asError(e)
}

// DeleteRandomPod deletes some running pod gracefully and returns which.
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

// RestartDeployment rolls a deployment's pods, as kubectl rollout restart does.
func (c *Cluster) RestartDeployment(namespace, name string) error {
	c.lock()
	defer c.mu.Unlock()
	s, err := c.find(c.deployments, namespace, name)
	if err != nil {
		return err
	}
	m := s.cur.mustMap()
	a := ensureMap(ensureMap(ensureMap(ensureMap(m, "spec"), "template"), "metadata"), "annotations")
	a["kubectl.kubernetes.io/restartedAt"] = c.now.UTC().Format(time.RFC3339Nano)
	_, e := c.update(s, m, m, "", "informerscope", false)
	return asError(e)
}

// Burst writes n status updates at once, over the running pods, at most 100,000.
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
			s.pod.probed = max(s.pod.probed+1, c.now.UnixMilli())
			c.rewritePod(s, podChange{})
			n--
		}
		c.mu.Unlock()
	}
	return nil
}

// Compact forgets the history up to now: a later watch, exact list or continued list from an older version gets 410.
// Watches that are open go on.
func (c *Cluster) Compact() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.order {
		r.floor = c.rev
	}
	c.snapshots = nil
}

// FailOver ends all open watches, as when an API server goes away, and has another answer from now on: one whose watch cache is behind by
// so many versions, and does not catch up until FailOver(0). What asks for a newer version gets "Too large resource version", and a watch
// from a newer one stays silent. A request without a version is a consistent read: it has everything.
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

// IsBehind reports whether a server answers that has not caught up since FailOver.
func (c *Cluster) IsBehind() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cache != 0
}

// known is the version that an answer about a resource can have: that of the cache for a request with a version, and all there is for one
// without. A cache has what was not compacted.
func (c *Cluster) known(r *resource, rvText string) uint64 {
	if c.cache == 0 || rvText == "" {
		return c.rev
	}
	return min(max(c.cache, r.floor), c.rev)
}

// DropConnections ends all open watches cleanly, as an API server that shuts down gracefully does.
func (c *Cluster) DropConnections() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.dropCh)
	c.dropCh = make(chan struct{})
}

// Restart breaks off all open watches without an ending and refuses everything for downFor, as an API server that
// crashed. A dialer that wants to refuse connections meanwhile can ask Down.
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

// Down reports whether the cluster is away because of Restart.
func (c *Cluster) Down() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.downUntil.IsZero() && c.clock.Now().Before(c.downUntil)
}
