package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestATransformIsSelectedAsAReleaseIs switches transforms of a running experiment. Each switch begins a new experiment, and a link keeps the actions before
// it.
func TestATransformIsSelectedAsAReleaseIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := console(t)
		must := func(name string, args ...string) any {
			t.Helper()
			out, err := c.do(t, name, args...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return out
		}
		now := func() fold.Indexer {
			<-time.After(3 * time.Second)
			synctest.Wait()
			return must("state").(*view.State).Indexer
		}
		must("select", `{"objects":20,"rate":0,"transform":"managedFields"}`)
		first := now()
		if first.Transform != selection.ManagedFields || first.Bytes >= first.CameBytes {
			t.Errorf("through managedFields the store is %+v", first)
		}
		if sel := must("transform", `"metadata"`).(event.Selection); sel.Transform != selection.MetadataOnly {
			t.Errorf("selected %+v", sel)
		}
		second := now()
		if second.CameBytes != first.CameBytes || second.Bytes >= first.Bytes || second.Transform != selection.MetadataOnly {
			t.Errorf("through metadata it is %+v; before %+v", second, first)
		}
		must("select", `{"era":"1.31"}`)
		if third := now(); third.Transform != selection.MetadataOnly || third.Bytes != second.Bytes {
			t.Errorf("what is left out does not stay as it is: %+v", third)
		}
		must("transform", `"off"`)
		if last := now(); last.Transform != "" || last.Bytes != first.CameBytes {
			t.Errorf("switched off it is %+v", last)
		}
		const unknown = `transform: the argument "transform" is one of off, managedFields, metadata, and not "most"`
		if _, err := c.do(t, "transform", `"most"`); err == nil || err.Error() != unknown {
			t.Errorf("an unknown transform: %v", err)
		}
		most := "most"
		if _, err := c.Lab.Select(t.Context(), selection.Change{Transform: &most}); err == nil || !strings.Contains(err.Error(), "choose one of off, ") {
			t.Errorf("an unknown transform in a link: %v", err)
		}
	})
}
