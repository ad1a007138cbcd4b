package simcluster

import (
	"strings"
	"testing"
	"time"
)

// nodeReady returns the status of a node's Ready condition.
func nodeReady(c *Cluster, name string) string {
	return c.nodes.byKey[name].cur.get(`status.conditions.#(type=="Ready").status`).String()
}

func TestProfileOfRollouts(t *testing.T) {
	c, clk := newFake(Options{Objects: 40, Seed: 3, Profile: "rollout"})
	before := map[string]bool{}
	for _, s := range c.replicaSets.pool {
		before[s.key] = true
	}
	play(c, clk, 90*time.Second, 50*time.Millisecond)
	fresh := map[string]bool{}
	for _, s := range c.replicaSets.pool {
		if !before[s.key] && s.cur.get("status.readyReplicas").Int() == s.cur.get("spec.replicas").Int() {
			fresh[s.ownerUID] = true
		}
	}
	if len(fresh) < 3 {
		t.Errorf("%d deployments were rolled out in 90 s, want one each %v", len(fresh), rolloutPeriod)
	}
}

// TestProfileOfNodeFailures follows a node from its failure to its return: it is unreachable after the grace period. Its pods are evicted after the
// toleration, and replaced elsewhere. They stay until their kubelet is back.
func TestProfileOfNodeFailures(t *testing.T) {
	c, clk := newFake(Options{Objects: 60, Seed: 3, Profile: "nodefailure"})
	name := c.nodeList[0].cur.name
	play(c, clk, nodeGrace/5+time.Second, 100*time.Millisecond)
	pods := c.podsOn(name)
	if len(pods) == 0 || nodeReady(c, name) != "True" {
		t.Fatalf("%d pods on %s, which is ready: %s", len(pods), name, nodeReady(c, name))
	}
	lease := c.leases.byKey["kube-node-lease/"+name].cur.rev
	play(c, clk, nodeGrace, 100*time.Millisecond)
	if got := nodeReady(c, name); got != "Unknown" {
		t.Errorf("%v after the last heartbeat the node is ready: %s", nodeGrace, got)
	}
	if c.leases.byKey["kube-node-lease/"+name].cur.rev != lease {
		t.Error("a kubelet that is away renews its lease")
	}
	for _, s := range pods {
		if s.cur.get(`status.conditions.#(type=="Ready").status`).String() != "False" || s.cur.isDeleting {
			t.Errorf("%s on an unreachable node: %s", s.key, s.cur.raw)
		}
	}
	play(c, clk, nodeToleration, 100*time.Millisecond)
	play(c, clk, 10*time.Second, 100*time.Millisecond)
	for _, s := range pods {
		if s.isDead || !s.cur.isDeleting {
			t.Errorf("%s: deleted %v, removed %v, want evicted and not removed", s.key, s.cur.isDeleting, s.isDead)
		}
	}
	for _, d := range c.deployments.slots() {
		if ready, want := d.cur.get("status.readyReplicas").Int(), d.cur.get("spec.replicas").Int(); ready != want {
			t.Errorf("%s has %d of %d pods ready after the eviction", d.key, ready, want)
		}
	}
	play(c, clk, nodeAway-nodeGrace-nodeToleration, 100*time.Millisecond)
	if got := nodeReady(c, name); got != "True" || c.nodes.byKey[name].cur.get("spec.taints").Exists() {
		t.Errorf("the node is back, and ready: %s, with taints %s", got, c.nodes.byKey[name].cur.get("spec.taints").Raw)
	}
	for _, s := range pods {
		if !s.isDead {
			t.Errorf("%s is still there when its kubelet is back", s.key)
		}
	}
}

func TestProfileOfCrashLoops(t *testing.T) {
	c, clk := newFake(Options{Objects: 40, Seed: 3, Profile: "crashloop", Events: true})
	d := c.deployments.slots()[0]
	play(c, clk, 2*time.Minute, 50*time.Millisecond)
	most := int64(0)
	for _, s := range c.pods.pool {
		n := s.cur.get("status.containerStatuses.0.restartCount").Int()
		if strings.HasPrefix(s.key, d.key+"-") {
			most = max(most, n)
		} else if n > 0 {
			t.Errorf("%s exits too", s.key)
		}
	}
	// It exits after 3 s, waits 10 s, 20 s, 40 s: four times in two minutes.
	if most < 3 || most > 5 {
		t.Errorf("a pod of %s was restarted %d times in two minutes", d.key, most)
	}
	for _, s := range c.events.pool {
		if s.cur.get("reason").String() == "BackOff" {
			return
		}
	}
	t.Error("there is no Event about the back-off")
}

func TestProfileOfCRDs(t *testing.T) {
	c, clk := newFake(Options{Objects: 10, Seed: 3, Profile: "crdstorm"})
	play(c, clk, 60*crdPeriod, 100*time.Millisecond)
	if n := len(c.crds.byKey); n < maxCRDs || n > maxCRDs+1 {
		t.Errorf("%d CRDs are kept, want %d", n, maxCRDs)
	}
	newest := c.resources[groupResource{crdGroup, "storm59s"}]
	if newest == nil || len(newest.byKey) != crdObjects || c.resources[groupResource{crdGroup, "storm40s"}] != nil {
		t.Errorf("the newest resource is %v, of %d", newest, len(c.resources))
	}
}

// TestSpeed plays the same rollout at eight times the speed: it takes an eighth of the time, and timestamps stay on the clock.
func TestSpeed(t *testing.T) {
	c, clk := newFake(Options{Objects: 20, Seed: 3, Speed: 8})
	if err := c.CreateDeployment("shop", "quick", 5); err != nil {
		t.Fatal(err)
	}
	play(c, clk, 600*time.Millisecond, 5*time.Millisecond)
	d := c.deployments.byKey["shop/quick"]
	if ready := d.cur.get("status.readyReplicas").Int(); ready != 5 {
		t.Errorf("%d of 5 pods are ready after 0.6 s at eight times the speed", ready)
	}
	for _, s := range c.pods.pool {
		if at, err := time.Parse(time.RFC3339, s.cur.get("metadata.creationTimestamp").String()); err != nil || at.After(clk.Now()) {
			t.Errorf("%s was created at %v, %v; the clock says %v", s.key, at, err, clk.Now())
		}
	}
}

// TestProfilesAreTheSameAgain plays each profile twice with one seed.
func TestProfilesAreTheSameAgain(t *testing.T) {
	for _, name := range Profiles() {
		var states []string
		for range 2 {
			c, clk := newFake(Options{Objects: 30, Seed: 9, Rate: 5, Profile: name})
			play(c, clk, 75*time.Second, 50*time.Millisecond)
			var b strings.Builder
			for _, r := range c.order {
				for _, s := range r.slots() {
					b.Write(s.cur.raw)
				}
			}
			states = append(states, b.String())
		}
		if states[0] != states[1] {
			t.Errorf("%s: two clusters of one seed differ", name)
		}
	}
}
