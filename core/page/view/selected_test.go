package view_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestASelectionIsWorthAFrame: the page need not wait for an event to get the journey of the object that it has just selected.
func TestASelectionIsWorthAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, v, _ := begin(t, 0)
		pass(3 * time.Second)
		v.Pause()
		for v.Frame() != nil {
		}
		for _, key := range []string{"default/none", ""} {
			if v.Follow(key, ""); v.Frame() == nil {
				t.Errorf("no frame comes when %q is selected", key)
			}
		}
		if b := v.Frame(); b != nil {
			t.Errorf("nothing has happened, and a frame comes: %s", b)
		}
	})
}
