package simcluster

import (
	"fmt"
	"testing"
)

// TestTheDeadGo creates and deletes pods on a cluster that is never listed: the number of dead slots must stay small.
func TestTheDeadGo(t *testing.T) {
	c := New(Options{Objects: -1, Still: true})
	c.mu.Lock()
	defer c.mu.Unlock()
	const pods = 5000
	for i := range pods {
		o, err := c.encode(map[string]any{"metadata": map[string]any{"name": fmt.Sprintf("pod-%d", i), "namespace": "default", "uid": fmt.Sprint(i)}})
		if err != nil {
			t.Fatal(err)
		}
		c.drop(c.put(c.pods, o))
	}
	if n := len(c.pods.sortedSlots) + len(c.pods.newSlots); n > 512 {
		t.Errorf("%d pods are deleted, and %d slots are kept", pods, n)
	}
	if n := len(c.pods.slots()); n != 0 {
		t.Errorf("%d pods are listed", n)
	}
}
