package simcluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

const (
	ownURL  = "/apis/apps/v1/namespaces/shop/deployments/own"
	mapsURL = "/api/v1/namespaces/shop/configmaps"
)

// withDeployment returns a cluster in which a deployment of two pods runs, and nothing else.
func withDeployment(t *testing.T) (*Cluster, *clocktesting.FakeClock) {
	t.Helper()
	c, clk := newFake(Options{Objects: -1})
	if err := c.CreateDeployment("shop", "own", 2); err != nil {
		t.Fatal(err)
	}
	play(c, clk, 5*time.Second, 100*time.Millisecond)
	return c, clk
}

// makeMap creates a ConfigMap with owners. An owner is a name, with "!" if it is blocked.
func makeMap(t *testing.T, c *Cluster, name string, owners ...string) {
	t.Helper()
	var refs []string
	for _, o := range owners {
		o, blocks := strings.CutSuffix(o, "!")
		refs = append(refs, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","name":%q,"uid":%q,"blockOwnerDeletion":%t}`, o,
			do(c, "GET", mapsURL+"/"+o, "").get("metadata.uid"), blocks))
	}
	a := do(c, "POST", mapsURL, fmt.Sprintf(`{"metadata":{"name":%q,"ownerReferences":[%s]}}`, name, strings.Join(refs, ",")))
	if a.code != 201 {
		t.Fatalf("%d %s", a.code, a.body)
	}
}

func hasMap(c *Cluster, name string) bool { return do(c, "GET", mapsURL+"/"+name, "").code == 200 }

// lifeOf returns what happened to the objects of a resource since a version: "DELETED own".
func lifeOf(c *Cluster, r *resource, since uint64) (out []string, revs []uint64) {
	for seq := r.seqAfter(since); seq < r.end; seq++ {
		e := r.event(seq)
		out = append(out, [...]string{"ADDED ", "MODIFIED ", "DELETED "}[e.typ]+e.obj.name)
		revs = append(revs, e.rev)
	}
	return out, revs
}

// TestForegroundDeletion deletes a deployment in the foreground: first its pods go, then its replica set, and then it. It is the same each time.
func TestForegroundDeletion(t *testing.T) {
	first := deleteInForeground(t)
	if again := deleteInForeground(t); !slices.Equal(first, again) {
		t.Errorf("the first time %v, the second %v", first, again)
	}
}

func deleteInForeground(t *testing.T) (all []uint64) {
	t.Helper()
	c, clk := withDeployment(t)
	since := c.rev
	a := do(c, "DELETE", ownURL, `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground"}`)
	if a.code != 200 || a.get("metadata.finalizers").Raw != `["foregroundDeletion"]` || !a.get("metadata.deletionTimestamp").Exists() {
		t.Fatalf("%d %s", a.code, a.body)
	}
	play(c, clk, 200*time.Millisecond, 10*time.Millisecond)
	if set := c.replicaSets.slots()[0].cur; !set.isDeleting || !slices.Equal(set.finalizers(), []string{"foregroundDeletion"}) {
		t.Errorf("the replica set: %s", set.raw)
	}
	play(c, clk, 10*time.Second, 100*time.Millisecond)
	var last uint64
	for _, r := range []*resource{c.pods, c.replicaSets, c.deployments} {
		what, revs := lifeOf(c, r, since)
		if n := len(what); n == 0 || len(r.byKey) > 0 || !strings.HasPrefix(what[n-1], "DELETED ") || revs[n-1] <= last {
			t.Errorf("%s: %v, %v", r.plural, what, revs)
		} else {
			last = revs[n-1]
		}
		all = append(all, revs...)
	}
	return all
}

// TestForegroundWaits holds a pod by a finalizer: its deployment waits. A deletion in the background ends that.
func TestForegroundWaits(t *testing.T) {
	for _, released := range []bool{true, false} {
		c, clk := withDeployment(t)
		if err := c.AddFinalizers(1); err != nil {
			t.Fatal(err)
		}
		do(c, "DELETE", ownURL+"?propagationPolicy=Foreground", "")
		play(c, clk, 20*time.Second, 100*time.Millisecond)
		if st := c.Stats().Objects; st["pods"] != 1 || st["replicasets.apps"] != 1 || st["deployments.apps"] != 1 {
			t.Fatalf("left are %v", st)
		}
		if released {
			if err := c.RemoveFinalizers(); err != nil {
				t.Fatal(err)
			}
		} else if a := do(c, "DELETE", ownURL+"?propagationPolicy=Background", ""); a.get("kind").String() != "Status" {
			t.Errorf("the second deletion: %s", a.body)
		}
		play(c, clk, 5*time.Second, 100*time.Millisecond)
		st := c.Stats().Objects
		if released && st["replicasets.apps"]+st["pods"] != 0 || st["deployments.apps"] != 0 {
			t.Errorf("released %t: left are %v", released, st)
		}
	}
}

// TestForegroundOfAPod deletes a running pod in the foreground: one change sets the finalizer and the time of deletion.
func TestForegroundOfAPod(t *testing.T) {
	c, clk := withDeployment(t)
	pod := c.pods.slots()[0]
	since := c.rev
	do(c, "DELETE", "/api/v1/namespaces/shop/pods/"+pod.cur.name+"?propagationPolicy=Foreground", "")
	if c.rev != since+1 || !pod.cur.isDeleting || !pod.cur.hasFinalizers {
		t.Errorf("%d changes, %s", c.rev-since, pod.cur.raw)
	}
	checkIndex(t, c.pods, pod)
	play(c, clk, 5*time.Second, 10*time.Millisecond)
	if !pod.isDead || len(c.pods.byKey) != 2 {
		t.Errorf("it is gone: %t; %d pods", pod.isDead, len(c.pods.byKey))
	}
}

// TestOrphans deletes a deployment and leaves its replica set, which first loses its owner.
func TestOrphans(t *testing.T) {
	for _, x := range []struct{ query, body string }{{"?propagationPolicy=Orphan", ""}, {"", `{"propagationPolicy":"Orphan"}`},
		{"?orphanDependents=true", ""}, {"", `{"orphanDependents":true}`}} {
		c, clk := withDeployment(t)
		since := c.rev
		a := do(c, "DELETE", ownURL+x.query, x.body)
		if a.code != 200 || a.get("metadata.finalizers").Raw != `["orphan"]` {
			t.Errorf("%v: %d %s", x, a.code, a.body)
		}
		play(c, clk, 5*time.Second, 100*time.Millisecond)
		sets, setRevs := lifeOf(c, c.replicaSets, since)
		what, revs := lifeOf(c, c.deployments, since)
		if len(sets) != 1 || len(what) != 2 || !strings.HasPrefix(what[1], "DELETED") || setRevs[0] > revs[1] {
			t.Errorf("%v: %v %v, %v %v", x, sets, setRevs, what, revs)
		}
		if set := c.replicaSets.slots()[0].cur; set.get("metadata.ownerReferences").Exists() || len(c.pods.byKey) != 2 {
			t.Errorf("%v: %s, %d pods", x, set.raw, len(c.pods.byKey))
		}
	}
}

// TestDependents deletes owners of ConfigMaps: what blocks, what has another owner, and what is a circle.
func TestDependents(t *testing.T) {
	c, clk := newFake(Options{Objects: 5})
	later := func() { play(c, clk, time.Second, 10*time.Millisecond) }
	makeMap(t, c, "one")
	makeMap(t, c, "two")
	makeMap(t, c, "both", "two", "one!")
	makeMap(t, c, "free", "one")
	makeMap(t, c, "held", "one!")
	do(c, "PATCH", mapsURL+"/held", `{"metadata":{"finalizers":["example.com/hold"]}}`, "Content-Type", mergePatch)
	do(c, "DELETE", mapsURL+"/one?propagationPolicy=Foreground", "")
	later()
	if !hasMap(c, "one") || !hasMap(c, "held") || hasMap(c, "free") {
		t.Errorf("one %t, held %t, free %t", hasMap(c, "one"), hasMap(c, "held"), hasMap(c, "free"))
	}
	if refs := do(c, "GET", mapsURL+"/both", "").get("metadata.ownerReferences.#.name").Raw; refs != `["two"]` {
		t.Errorf("both is owned by %s", refs)
	}
	do(c, "PATCH", mapsURL+"/held", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	later()
	if hasMap(c, "one") || hasMap(c, "held") || !hasMap(c, "both") {
		t.Error("one waits no longer")
	}
	do(c, "DELETE", mapsURL+"/two", "")
	later()
	if hasMap(c, "both") {
		t.Error("the last owner has gone, and both is there")
	}

	makeMap(t, c, "a")
	makeMap(t, c, "b", "a!")
	a := do(c, "GET", mapsURL+"/b", "").get("metadata.uid")
	do(c, "PATCH", mapsURL+"/a", fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":%q,`+
		`"blockOwnerDeletion":true}]}}`, a), "Content-Type", mergePatch)
	do(c, "DELETE", mapsURL+"/a?propagationPolicy=Foreground", "")
	later()
	if hasMap(c, "a") || hasMap(c, "b") {
		t.Error("a circle stays")
	}

	makeMap(t, c, "x")
	makeMap(t, c, "y")
	makeMap(t, c, "second", "x", "y")
	do(c, "DELETE", mapsURL+"/y?propagationPolicy=Orphan", "")
	later()
	if refs := do(c, "GET", mapsURL+"/second", "").get("metadata.ownerReferences.#.name").Raw; refs != `["x"]` || hasMap(c, "y") {
		t.Errorf("second is owned by %s", refs)
	}
	do(c, "DELETE", mapsURL+"/x", `{"orphanDependents":false}`)
	later()
	if hasMap(c, "second") || len(c.secondOwners) > 0 {
		t.Errorf("second is there: %t; %v", hasMap(c, "second"), c.secondOwners)
	}
}

// TestPoliciesOfADeletion sends options that contradict each other, and the old option, which is answered with 202.
func TestPoliciesOfADeletion(t *testing.T) {
	c, clk := withDeployment(t)
	for _, x := range []struct{ query, body string }{
		{"?orphanDependents=true", `{"propagationPolicy":"Background"}`}, {"", `{"propagationPolicy":"Orphan","orphanDependents":true}`},
		{"", `{"propagationPolicy":""}`},
	} {
		if a := do(c, "DELETE", ownURL+x.query, x.body); a.code != 422 {
			t.Errorf("%v: %d %s", x, a.code, a.body)
		}
	}
	for _, body := range []string{`{"propagationPolicy":7}`, `{"orphanDependents":"x"}`} {
		if a := do(c, "DELETE", ownURL, body); a.code != 400 {
			t.Errorf("%s: %d %s", body, a.code, a.body)
		}
	}
	do(c, "PATCH", ownURL, `{"metadata":{"finalizers":["example.com/hold"]}}`, "Content-Type", mergePatch)
	if a := do(c, "DELETE", ownURL+"?orphanDependents=false", ""); a.code != 202 {
		t.Errorf("the old option: %d %s", a.code, a.body)
	}
	do(c, "PATCH", ownURL, `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	play(c, clk, 5*time.Second, 100*time.Millisecond)
	if st := c.Stats().Objects; st["deployments.apps"]+st["replicasets.apps"]+st["pods"] != 0 {
		t.Errorf("left are %v", st)
	}
}

// TestAdoption deletes a deployment, or its replica set, without what it owns. Its successor takes that over, and makes no pods.
func TestAdoption(t *testing.T) {
	for _, resource := range []string{"deployments", "replicasets"} {
		c, clk := withDeployment(t)
		var names []string
		for _, o := range c.pods.objects("shop") {
			names = append(names, o.name)
		}
		url := ownURL
		if resource == "replicasets" {
			url = "/apis/apps/v1/namespaces/shop/replicasets/" + c.replicaSets.slots()[0].cur.name
		}
		before := c.resources[groupResource{"apps", resource}].slots()[0]
		do(c, "DELETE", url+"?propagationPolicy=Orphan", "")
		if resource == "deployments" {
			play(c, clk, time.Second, 10*time.Millisecond)
			if err := c.CreateDeployment("shop", "own", 2); err != nil {
				t.Fatal(err)
			}
		}
		play(c, clk, 5*time.Second, 10*time.Millisecond)
		if !before.isDead || do(c, "GET", ownURL, "").get("status.readyReplicas").Int() != 2 {
			t.Errorf("%s: gone %t, %s", resource, before.isDead, do(c, "GET", ownURL, "").body)
		}
		set := c.replicaSets.slots()[0].cur
		if len(set.owners) != 1 || set.owners[0] != c.deployments.slots()[0].cur.uid {
			t.Errorf("%s: the replica set is of %v", resource, set.owners)
		}
		for i, s := range c.pods.slots() {
			checkIndex(t, c.pods, s)
			if i >= len(names) || s.cur.name != names[i] || len(s.cur.owners) != 1 || s.cur.owners[0] != set.uid {
				t.Errorf("%s: a pod %s of %v", resource, s.cur.name, s.cur.owners)
			}
		}
	}
}
