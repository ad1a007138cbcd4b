package command

import (
	"context"
	"errors"
	"testing"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
)

// TestNothingWaitsForASelectionThatAsks lets the kubeconfig's description hang, and then discovery. Other calls are answered meanwhile, and a later selection
// wins.
func TestNothingWaitsForASelectionThatAsks(t *testing.T) {
	live, slowContext, resource, simulated, objects := "live", "slow", "foos.example.com", "sim", 7
	slow := selection.Change{Source: &live, Context: &slowContext, Resource: &resource}
	for _, hangs := range []string{"/contexts", "/clusters/"} {
		t.Run(hangs, func(t *testing.T) {
			asked, end := make(chan struct{}, 1), make(chan struct{})
			dial := labtest.Relay(t, labtest.Hang(hangs, asked, end))
			t.Cleanup(func() { close(end) })
			rec := trace.NewRecorder(trace.RecorderOptions{})
			l := lab.New(lab.Options{Recorder: rec, Dial: dial})
			defer l.Close()
			c := &Console{Lab: l, View: view.New(rec, clock.RealClock{})}
			if _, err := c.do(t, "select", `{"objects":5,"rate":0}`); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := l.Select(context.Background(), slow)
				ended <- err
			}()
			<-asked
			done := make(chan struct{})
			go func() {
				defer close(done)
				for _, call := range [][]string{
					{"hold", `"pop"`}, {"release", `"pop"`, `1`}, {"release", `"pop"`, `0`}, {"fault", `"cut"`}, {"fault", `"delay"`, `{"on":true}`},
					{"cluster", `"burst"`, `{"n":3}`}, {"addListener", `{"name":"late"}`}, {"writes", `false`}, {"addIndex", `"tier"`, `"label:tier"`},
					{"state"}, {"seek", `3`}, {"live"}, {"record"}, {"export"}, {"namespaces"}, {"resources"},
				} {
					if _, err := c.do(t, call[0], call[1:]...); err != nil {
						t.Errorf("%s: %v", call[0], err)
					}
				}
				sel, err := l.Select(context.Background(), selection.Change{Source: &simulated, Objects: &objects})
				if err != nil || sel.Objects != 7 || sel.Resource != "pods" {
					t.Errorf("the later selection is %+v, %v", sel, err)
				}
			}()
			<-done
			if err := <-ended; !errors.Is(err, lab.ErrSuperseded) {
				t.Errorf("the earlier selection ended with %v", err)
			}
			if sel := l.Selection(); sel.Source != "sim" || sel.Objects != 7 {
				t.Errorf("what runs is %+v", sel)
			}
		})
	}
}
