package simcluster

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestControllersWriteEvents creates a deployment, scales it down and selects the Events of each object, as kubectl describe does.
func TestControllersWriteEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Seed: 7, Objects: 20, Events: true})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.Run(ctx)
		wait := func() {
			<-time.After(20 * time.Second)
			synctest.Wait()
		}
		if err := c.CreateDeployment("shop", "web", 2); err != nil {
			t.Fatal(err)
		}
		wait()
		if err := c.Scale("shop", "web", 1); err != nil {
			t.Fatal(err)
		}
		wait()
		reasons := func(selector string) string {
			a := do(c, "GET", "/api/v1/namespaces/shop/events?fieldSelector="+selector, "")
			var out []string
			for _, e := range a.get("items").Array() {
				out = append(out, e.Get("reason").String())
				if message := e.Get("message").String(); strings.Contains(message, `\"`) || message == "" {
					t.Errorf("the message %q", message)
				}
			}
			if a.code != 200 {
				t.Errorf("%s: %d %s", selector, a.code, a.body)
			}
			return strings.Join(out, " ")
		}
		if got := reasons("involvedObject.kind=Deployment,involvedObject.name=web"); got != "ScalingReplicaSet ScalingReplicaSet" {
			t.Errorf("of the deployment: %q", got)
		}
		if got := reasons("involvedObject.kind=ReplicaSet,type=Normal"); got != "SuccessfulCreate SuccessfulCreate SuccessfulDelete" {
			t.Errorf("of the replica set: %q", got)
		}
		for _, want := range []string{"Scheduled Scheduled", "Pulled Pulled", "Created Created", "Started Started", "Killing"} {
			reason, _, _ := strings.Cut(want, " ")
			if got := reasons("involvedObject.kind=Pod,reason=" + reason); got != want {
				t.Errorf("of the pods: %q, want %q", got, want)
			}
		}
	})
}

// TestEventsAreBounded: the oldest Events go, and a page's cluster has none.
func TestEventsAreBounded(t *testing.T) {
	c, _ := newFake(Options{Seed: 7, Objects: 20, Events: true})
	pod := c.pods.slots()[0]
	c.lock()
	for range maxEvents + 10 {
		c.noteEvent(pod, "kubelet", "Started", "Started container %s", "a")
	}
	c.mu.Unlock()
	if n := c.Stats().Objects["events"]; n != maxEvents {
		t.Errorf("%d Events, want %d", n, maxEvents)
	}
	c, _ = newFake(Options{Seed: 7, Objects: 20})
	if a := do(c, "GET", "/api/v1/events", ""); a.code != 404 {
		t.Errorf("a cluster without Events answers %d", a.code)
	}
}

// TestFieldSelectors selects by the fields that a real API server knows, also those that are false or zero and so are not encoded.
func TestFieldSelectors(t *testing.T) {
	c, _ := newFake(Options{Seed: 7, Objects: 20})
	pods := len(c.pods.slots())
	for _, x := range []struct {
		url  string
		want int
	}{
		{"/api/v1/nodes?fieldSelector=spec.unschedulable=false", len(c.nodes.slots())},
		{"/api/v1/nodes?fieldSelector=spec.unschedulable=true", 0},
		{"/api/v1/pods?fieldSelector=spec.hostNetwork=false", pods},
		{"/api/v1/pods?fieldSelector=spec.restartPolicy=Always", pods},
		{"/api/v1/pods?fieldSelector=spec.restartPolicy!=Always", 0},
		{"/apis/apps/v1/replicasets?fieldSelector=status.replicas=0", 0},
	} {
		a := do(c, "GET", x.url, "")
		if n := len(a.get("items").Array()); a.code != 200 || n != x.want {
			t.Errorf("%s: %d, %d objects, want %d", x.url, a.code, n, x.want)
		}
	}
	if a := do(c, "GET", "/api/v1/pods?fieldSelector=spec.containers=a", ""); a.code != 400 {
		t.Errorf("an unknown field: %d", a.code)
	}
}
