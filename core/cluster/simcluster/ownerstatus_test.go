package simcluster

import (
	"fmt"
	"testing"
	"time"
)

// TestStatusSplice compares spliceStatus with encodeStatus, for every deployment and replica set of a busy cluster, and checks that spliceStatus never
// fails.
func TestStatusSplice(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	c, clk := newFake(Options{Objects: 300, Seed: 11, Rate: 500})
	if err := c.CreateDeployment("shop", "new-app", 7); err != nil {
		t.Fatal(err)
	}
	spliced, long, first := 0, 0, 0
	// New makes objects without a status; this is how each gets its first.
	without := func(s *slot) *slot {
		m := s.cur.mustMap()
		delete(m, "status")
		meta := ensureMap(m, "metadata")
		meta["managedFields"] = anyList(meta["managedFields"])[:1]
		o, err := c.encode(m)
		if err != nil {
			t.Fatal(err)
		}
		return &slot{res: s.res, key: s.key, cur: o}
	}
	for range 12 {
		play(c, clk, 500*time.Millisecond, 10*time.Millisecond)
		for _, r := range []*resource{c.deployments, c.replicaSets} {
			for _, s := range r.pool {
				checkIndex(t, r, s)
				bare := without(s)
				for _, status := range []string{`{}`, `{"replicas":123456}`, `{"conditions":[{"message":"\"é<&>\\","type":"T"}],"observedGeneration":3}`} {
					short, want := c.spliceStatus(r, s.cur, []byte(status)), c.encodeStatus(s, []byte(status))
					if o, want := c.spliceStatus(r, bare.cur, []byte(status)), c.encodeStatus(bare, []byte(status)); o != nil {
						first++
						if string(o.raw) != string(want.raw) || fmt.Sprintf("%+v", *o) != fmt.Sprintf("%+v", *want) {
							t.Fatalf("%s %s, its first status:\n got %+v\nwant %+v", r.plural, s.key, *o, *want)
						}
					}
					if want == nil {
						t.Fatalf("%s cannot be encoded", s.key)
					}
					if short == nil {
						long++
						continue
					}
					spliced++
					if string(short.raw) != string(want.raw) {
						t.Fatalf("%s %s:\n got %s\nwant %s", r.plural, s.key, short.raw, want.raw)
					}
					if a, b := fmt.Sprintf("%+v", *short), fmt.Sprintf("%+v", *want); a != b {
						t.Fatalf("%s %s: index\n got %s\nwant %s", r.plural, s.key, a, b)
					}
				}
			}
		}
	}
	if long > 0 {
		t.Errorf("%d statuses could not be spliced, %d could", long, spliced)
	}
	if first < 100 {
		t.Errorf("only %d first statuses were spliced", first)
	}
}

// TestPlanFollowsSpec checks that a plan is read again when the spec changes, and only then.
func TestPlanFollowsSpec(t *testing.T) {
	c, clk := newFake(Options{Objects: -1, Seed: 1})
	if err := c.CreateDeployment("shop", "demo", 4); err != nil {
		t.Fatal(err)
	}
	play(c, clk, 5*time.Second, 10*time.Millisecond)
	d := c.deployments.byKey["shop/demo"]
	first := c.planOf(d)
	patch := func(body string) *deploymentPlan {
		t.Helper()
		if a := do(c, "PATCH", "/apis/apps/v1/namespaces/shop/deployments/demo", body, "Content-Type", "application/merge-patch+json"); a.code != 200 {
			t.Fatalf("%s: %d %s", body, a.code, a.body)
		}
		return c.planOf(d)
	}
	if p := patch(`{"metadata":{"labels":{"a":"b"}}}`); p != first {
		t.Error("a change of a label caused the plan to be read again")
	}
	p := patch(`{"spec":{"replicas":10,"paused":true,"strategy":{"rollingUpdate":{"maxSurge":"50%","maxUnavailable":3}}}}`)
	if p.replicas != 10 || !p.paused || p.surge != 5 || p.unavailable != 3 || p.replicaSet != first.replicaSet {
		t.Errorf("the plan is %+v", p)
	}
	if p := patch(`{"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}}`); p.replicaSet == first.replicaSet {
		t.Error("another template has the same replica set")
	}
}
