package doctor_test

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/ask/doctor"
	"informerscope/core/lab"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
)

func TestMain(m *testing.M) {
	labtest.SilenceLogs()
	os.Exit(m.Run())
}

func ptr[T any](v T) *T { return &v }

// patient is an experiment on a simulated cluster in fake time, beside a Doctor.
type patient struct {
	t      *testing.T
	lab    *lab.Lab
	rec    *trace.Recorder
	doctor *doctor.Doctor
	seen   uint64
}

// pass lets time go by, and shows the Doctor what happened.
func (p *patient) pass(d time.Duration) {
	for ; d > 0; d -= 20 * time.Second {
		<-time.After(min(d, 20*time.Second))
		synctest.Wait()
		head, _ := p.rec.Head()
		first, events := p.rec.Retain(p.seen+1, head)
		if first > p.seen+1 {
			p.t.Fatalf("events %d to %d were evicted before the doctor saw them", p.seen+1, first-1)
		}
		for e := range events {
			p.doctor.See(e)
		}
		p.seen = head
	}
}

// findings lets a moment pass, and returns what the Doctor finds.
func (p *patient) findings() []doctor.Finding {
	p.pass(time.Millisecond)
	return p.doctor.Findings(p.rec.FoldAt(p.seen))
}

// runExperiment runs an experiment in fake time.
func runExperiment(t *testing.T, change selection.Change, do func(p *patient)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &patient{t: t, rec: trace.NewRecorder(trace.RecorderOptions{}), doctor: doctor.New()}
		p.lab = lab.New(lab.Options{Recorder: p.rec})
		defer func() {
			p.lab.Close()
			<-time.After(2 * time.Minute) // what ignores its context ends by then
		}()
		if _, err := p.lab.Select(context.Background(), change); err != nil {
			t.Fatal(err)
		}
		do(p)
	})
}

// healthy are experiments in which nothing is wrong.
var healthy = []struct {
	name    string
	change  selection.Change
	lasting time.Duration
}{
	{"an hour of a busy controller", selection.Change{Objects: ptr(1000), Rate: ptr(40.0), Seed: ptr(uint64(1))}, time.Hour},
	{"the page's own experiment", selection.Change{Objects: ptr(240), Rate: ptr(6.0), Seed: ptr(uint64(7))}, 30 * time.Minute},
	{"DeltaFIFO", selection.Change{Release: ptr("1.31"), Objects: ptr(300), Rate: ptr(20.0), Seed: ptr(uint64(2))}, 10 * time.Minute},
	{"RealFIFO without batches", selection.Change{Release: ptr("1.33"), Objects: ptr(300), Rate: ptr(20.0), Seed: ptr(uint64(3))}, 10 * time.Minute},
	{"WatchList", selection.Change{Release: ptr("1.35"), Objects: ptr(300), Rate: ptr(20.0), Seed: ptr(uint64(4))}, 10 * time.Minute},
	{"two releases", selection.Change{Release: ptr("1.31,1.37"), Objects: ptr(200), Rate: ptr(10.0), Seed: ptr(uint64(5))}, 10 * time.Minute},
	{"a factory", selection.Change{Resource: ptr("pods,nodes,deployments.apps,replicasets.apps,services,configmaps"), Objects: ptr(400), Rate: ptr(20.0),
		Seed: ptr(uint64(6))}, 10 * time.Minute},
	{"a quiet resource", selection.Change{Resource: ptr("configmaps"), Objects: ptr(50), Rate: ptr(0.0), Seed: ptr(uint64(7))}, 30 * time.Minute},
	// In a longer time, the controller retries the crash-looping pods that nothing changes without end: see TestRules.
	{"many objects", selection.Change{Objects: ptr(5000), Rate: ptr(50.0), Seed: ptr(uint64(8))}, 2 * time.Minute},
	{"a high rate", selection.Change{Objects: ptr(500), Rate: ptr(300.0), Seed: ptr(uint64(9))}, 3 * time.Minute},
	{"a transform and a selector", selection.Change{Objects: ptr(500), Rate: ptr(30.0), Seed: ptr(uint64(10)), Transform: ptr("metadata"),
		Selector: ptr("tier=backend")}, 10 * time.Minute},
	{"a burst and a scaling", selection.Change{Objects: ptr(300), Rate: ptr(5.0), Seed: ptr(uint64(11))}, 5 * time.Minute},
}

// TestHealthyProgramsHaveNoFindings holds that no rule raises a false alarm.
func TestHealthyProgramsHaveNoFindings(t *testing.T) {
	for _, tc := range healthy {
		t.Run(tc.name, func(t *testing.T) {
			if testing.Short() {
				tc.lasting = min(tc.lasting, time.Minute)
			}
			runExperiment(t, tc.change, func(p *patient) {
				p.pass(tc.lasting / 2)
				if tc.name == "a burst and a scaling" {
					for verb, a := range map[string]lab.ClusterArgs{"burst": {N: 200}, "create": {Name: "web", Replicas: 100}} {
						if _, err := p.lab.Cluster(verb, a); err != nil {
							t.Fatal(err)
						}
					}
				}
				p.pass(tc.lasting / 2)
				for _, f := range p.findings() {
					if f.Weight != doctor.Hint {
						t.Errorf("%s (%s) on %s since %.0f ms: %s", f.Rule, f.Weight, f.Informer, f.SinceMillis, f.What.EN)
					}
				}
				if p.rec.FoldAt(p.seen).LaneState(0).Listeners[0].Handled == 0 {
					t.Error("no handler was called")
				}
			})
		})
	}
}
