package simcluster

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// restore saves a cluster and returns the one that Restore makes of it.
func restore(t *testing.T, c *Cluster, o Options) (*Cluster, *clocktesting.FakeClock) {
	t.Helper()
	var saved bytes.Buffer
	if err := c.Save(&saved); err != nil {
		t.Fatal(err)
	}
	clk := clocktesting.NewFakeClock(c.clock.Now().Add(time.Hour))
	o.Clock = clk
	again, err := Restore(o, &saved)
	if err != nil {
		t.Fatal(err)
	}
	return again, clk
}

// everything returns all objects of a cluster, by resource and key.
func everything(c *Cluster) string {
	var b strings.Builder
	for _, r := range c.order {
		for _, s := range r.slots() {
			fmt.Fprintf(&b, "%s %s %s\n", r.gr(), s.key, s.cur.raw)
		}
	}
	return b.String()
}

// TestASavedClusterGoesOn saves a cluster in the middle of a rollout, with custom resources, pods that are being deleted and a back-off. The restored one
// has the same objects at the same versions, and finishes what had begun.
func TestASavedClusterGoesOn(t *testing.T) {
	c, clk := newFake(Options{Objects: 50, Seed: 5, Rate: 20, Events: true, Profile: "crashloop"})
	play(c, clk, 20*time.Second, 50*time.Millisecond)
	crd := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{"group":"example.com",` +
		`"scope":"Namespaced","names":{"plural":"foos","kind":"Foo"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` +
		`{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	if got := do(c, http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd); got.code != http.StatusCreated {
		t.Fatalf("the CRD: %d %s", got.code, got.body)
	}
	foo := `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"one"}}`
	if got := do(c, http.MethodPost, "/apis/example.com/v1/namespaces/default/foos", foo); got.code != http.StatusCreated {
		t.Fatalf("the custom resource: %d %s", got.code, got.body)
	}
	d := c.deployments.slots()[3]
	if err := c.RestartDeployment(d.cur.namespace, d.cur.name); err != nil {
		t.Fatal(err)
	}
	play(c, clk, 700*time.Millisecond, 50*time.Millisecond) // some pods are new, and some are being deleted
	c.setRate(0)
	again, clk := restore(t, c, Options{Seed: 5, Events: true})
	if was, is := everything(c), everything(again); was != is {
		t.Fatalf("%d bytes of objects became %d:\n%.2000s", len(was), len(is), is)
	}
	if c.rev != again.rev {
		t.Errorf("version %d became %d", c.rev, again.rev)
	}
	play(again, clk, time.Minute, 50*time.Millisecond)
	is := again.deployments.byKey[d.key].cur
	if want := is.get("spec.replicas").Int(); is.get("status.updatedReplicas").Int() != want ||
		is.get("status.readyReplicas").Int() != want || is.get("status.replicas").Int() != want {
		t.Errorf("the rollout did not end: %s", is.get("status").Raw)
	}
	seen := map[string]string{}
	for _, r := range again.order {
		for _, s := range r.pool {
			if other := seen[s.cur.uid]; other != "" {
				t.Errorf("%s and %s have one uid", s.key, other)
			}
			seen[s.cur.uid] = s.key
			if s.cur.isDeleting {
				t.Errorf("%s %s is still being deleted", r.plural, s.key)
			}
		}
	}
	if again.resources[groupResource{"example.com", "foos"}].byKey["default/one"] == nil {
		t.Error("the custom resource is not served")
	}
}

// TestASavedFileIsNotTrusted restores what is torn, changed or made to do harm: each time there is an error, and no panic.
func TestASavedFileIsNotTrusted(t *testing.T) {
	c, _ := newFake(Options{Objects: 5, Seed: 5})
	var b bytes.Buffer
	if err := c.Save(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	header, object, last := lines[0], lines[1], lines[len(lines)-1]
	for name, bad := range map[string]string{
		"empty":             "",
		"another format":    strings.Replace(whole, savedFormat, "x", 1),
		"without its end":   strings.Join(lines[:len(lines)-1], ""),
		"cut in an object":  whole[:len(whole)/2],
		"a line is missing": header + strings.Join(lines[2:], ""),
		"a line is twice":   header + object + strings.Join(lines[1:], ""),
		"more after it":     whole + object,
		"a negative count":  header + `{"count":-1}`,
		"no name":           header + `{"resource":"pods","object":{"metadata":{"uid":"u","namespace":"a","resourceVersion":"1"}}}` + "\n" + last,
		"a newer version":   header + `{"resource":"namespaces","object":{"metadata":{"name":"a","uid":"u","resourceVersion":"99999999999"}}}` + "\n" + last,
		"version no text":   header + `{"resource":"namespaces","object":{"metadata":{"name":"a","uid":"u","resourceVersion":7}}}` + "\n" + last,
		"unknown resource":  header + `{"resource":"secrets","object":{}}` + "\n" + last,
		"no object":         header + `{"resource":"pods","object":[1]}` + "\n" + last,
		"too deep":          header + `{"resource":"pods","object":` + strings.Repeat(`{"metadata":`, 20_000) + "1" + strings.Repeat("}", 20_001) + "\n" + last,
		"a line too long":   header + strings.Repeat("x", maxSavedLine+1),
	} {
		if _, err := Restore(Options{}, strings.NewReader(bad)); err == nil {
			t.Errorf("%s: it was restored", name)
		}
	}
}

func FuzzRestore(f *testing.F) {
	c, _ := newFake(Options{Objects: 3, Seed: 5})
	var b bytes.Buffer
	if err := c.Save(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(`{"format":"` + savedFormat + `","resourceVersion":9}` + "\n" + `{"resource":"pods","object":{"metadata":{"name":"a","namespace":"b","uid":"u",` +
		`"resourceVersion":"1"},"spec":{"containers":[{}]},"status":{"podIP":"10.244.9.9","phase":"Running"}}}` + "\n" + `{"count":1}`)
	f.Fuzz(func(t *testing.T, saved string) {
		clk := clocktesting.NewFakeClock(epoch)
		again, err := Restore(Options{Clock: clk, Events: true}, strings.NewReader(saved))
		if err == nil {
			play(again, clk, 30*time.Second, time.Second)
		}
	})
}
