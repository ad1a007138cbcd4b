package levers

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"informerscope/core/cluster/simcluster"
)

// TestTheTableIsWellFormed finds an entry that lacks something, and a name or verb of two.
func TestTheTableIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range All() {
		if l.pull == nil || l.Does == "" && !l.IsFault || seen["name "+l.Name] || seen["verb "+l.Verb()] {
			t.Errorf("%s is there twice, or something of it is missing", l.Name)
		}
		seen["name "+l.Name], seen["verb "+l.Verb()] = true, true
		if l.IsFault && l.Strikes == "" {
			t.Errorf("%s is a fault, and strikes none", l.Name)
		}
		if takesN := len(l.Params) > 0 && l.Params[0].Name == number.Name; (l.Holds || l.Offers != nil) && !takesN {
			t.Errorf("%s has no n", l.Name)
		}
	}
}

// TestALinkHasWhatALeverReads writes arguments as a link does, and reads them again.
func TestALinkHasWhatALeverReads(t *testing.T) {
	all := Args{Namespace: "shop", Name: "web", Key: "shop/web-1", Replicas: 4, N: 7, PerSecond: 2.5, Label: "tier=backend"}
	for _, l := range All() {
		words := l.Write(all)
		read := l.Read(func(i int) string { return fmt.Sprint(words[i]) })
		if again := l.Write(read); fmt.Sprint(again) != fmt.Sprint(words) || l.Check(read) != nil {
			t.Errorf("%s: %v became %v", l.Name, words, again)
		}
	}
}

// TestADrainedNodeHasNoPods drains the first node and then another, and sees where the pods go.
func TestADrainedNodeHasNoPods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := simcluster.New(simcluster.Options{Seed: 7, Objects: 40, Clock: clock.RealClock{}})
		var running sync.WaitGroup
		ctx, end := context.WithCancel(t.Context())
		running.Go(func() { c.Run(ctx) })
		count := func(selector string) int {
			t.Helper()
			var list metav1.PartialObjectMetadataList
			if err := c.Do(ctx, http.MethodGet, selector, nil, &list); err != nil {
				t.Fatal(err)
			}
			return len(list.Items)
		}
		all := count("/api/v1/pods")
		for i, name := range []string{"", "node-b1"} {
			words, err := Own(c).Pull(ctx, "drain", Args{Name: name})
			if err != nil || !strings.HasPrefix(words, "drained node node-") || strings.HasSuffix(words, " 0") {
				t.Errorf("drain %q: %q, %v", name, words, err)
			}
			<-time.After(2 * time.Minute)
			if n := count("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue"); n != i+1 {
				t.Errorf("%d nodes take no pods", n)
			}
			if n := count("/api/v1/pods?fieldSelector=status.phase%3DRunning"); n != all {
				t.Errorf("%d pods run, and there were %d", n, all)
			}
		}
		if a, b := count("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-a1"), count("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-b1"); a+b > 0 {
			t.Errorf("%d pods are on the first node, and %d on the second", a, b)
		}
		for name, want := range map[string]string{"node-z9": "not found", "../pods": "is no name"} {
			if _, err := Own(c).Pull(ctx, "drain", Args{Name: name}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("drain %s: %v, want %s", name, err, want)
			}
		}
		end()
		running.Wait()
	})
}
