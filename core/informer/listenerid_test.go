package informer

import (
	"testing"
	"testing/synctest"

	"informerscope/core/words/releases"
)

// TestListenerIdentity checks that registrations have the Listener of events, gates and snapshots.
func TestListenerIdentity(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		r := build(t, serve(release, "5", obj("a", "1")), SharedIndexInformerOptions{Release: release})
		early, err := r.AddEventHandlerWithOptions(&calls{}, HandlerOptions{Name: "early"})
		if err != nil {
			t.Fatal(err)
		}
		r.run()
		synctest.Wait()
		late, err := r.AddEventHandlerWithOptions(&calls{}, HandlerOptions{Name: "late"})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.RemoveEventHandler(early); err != nil {
			t.Fatal(err)
		}
		last, err := r.AddEventHandlerWithOptions(&calls{}, HandlerOptions{Name: "last"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		// build adds the first handler; numbers are not reused.
		for i, reg := range []ResourceEventHandlerRegistration{r.reg, early, late, last} {
			id, ok := reg.(ListenerIdentity)
			if !ok || id.ListenerID() != int32(i+1) {
				t.Errorf("registration %d: %v, %v", i+1, id, ok)
			}
		}
		names := map[string]int32{}
		for _, l := range r.Snapshot().Listeners {
			names[l.Name] = l.ID
		}
		if names["late"] != 3 || names["last"] != 4 || names["early"] != 0 {
			t.Errorf("the snapshot has the numbers %v", names)
		}
		r.stop()
	})
}
