package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestASelectorIsSelected begins experiments with a label selector. It stays with another release, and goes with another resource. The cluster's count is of
// all objects.
func TestASelectorIsSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := console(t)
		choose := func(change string) event.Selection {
			t.Helper()
			out, err := c.do(t, "select", change)
			if err != nil {
				t.Fatal(err)
			}
			return out.(event.Selection)
		}
		now := func() *view.State {
			t.Helper()
			<-time.After(3 * time.Second)
			synctest.Wait()
			s, err := c.do(t, "state")
			if err != nil {
				t.Fatal(err)
			}
			return s.(*view.State)
		}
		choose(`{"objects":60,"rate":0,"selector":"tier=backend"}`)
		s := now()
		if n := s.Indexer.Count; n == 0 || n >= s.API.Objects || s.API.Objects < 50 {
			t.Errorf("the store has %d of %d pods", n, s.API.Objects)
		}
		if !strings.Contains(s.Reflector.LastRequest, "labelSelector=tier%3Dbackend&") {
			t.Errorf("the request is %s", s.Reflector.LastRequest)
		}
		if _, err := c.do(t, "select", `{"selector":"tier in backend"}`); err == nil || !strings.HasPrefix(err.Error(),
			`"tier in backend" is not a label selector; one looks like app=cart or tier in (backend,data): `) {
			t.Errorf("no selector: %v", err)
		}
		if _, err := c.do(t, "select", `{"selector":"`+strings.Repeat("a", selection.LongestSelector+1)+`"}`); err == nil {
			t.Error("a selector of any length is taken")
		}
		if sel := choose(`{"era":"1.31"}`); sel.Selector != "tier=backend" {
			t.Errorf("another release has the selector %q", sel.Selector)
		}
		if old := now(); old.Indexer.Count != s.Indexer.Count || !strings.Contains(old.Reflector.LastRequest, "labelSelector=tier%3Dbackend") {
			t.Errorf("1.31 has %d pods after %s", old.Indexer.Count, old.Reflector.LastRequest)
		}
		if sel := choose(`{"resource":"deployments.apps"}`); sel.Selector != "" {
			t.Errorf("another resource has the selector %q", sel.Selector)
		}
		if sel := choose(`{"resource":"pods,deployments.apps","selector":"app in (cart,query)"}`); sel.Selector != "app in (cart,query)" {
			t.Errorf("a factory has the selector %q", sel.Selector)
		}
		for i, lane := range now().Lanes {
			if !strings.Contains(lane.Reflector.LastRequest, "labelSelector=app+in+%28cart%2Cquery%29") || lane.Indexer.Count == 0 {
				t.Errorf("informer %d has %d objects after %s", i, lane.Indexer.Count, lane.Reflector.LastRequest)
			}
		}
	})
}
