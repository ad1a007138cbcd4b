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
	return p.doctor.Findings(p.rec.FoldAt(p.seen), p.rec.Now())
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
	during  func(p *patient) // at half the time; nil for nothing
}{
	{"an hour of a busy controller", selection.Change{Objects: ptr(1000), Rate: ptr(40.0), Seed: ptr(uint64(1))}, time.Hour, nil},
	{"the page's own experiment", selection.Change{Objects: ptr(240), Rate: ptr(6.0), Seed: ptr(uint64(7))}, 30 * time.Minute, nil},
	{"DeltaFIFO", selection.Change{Release: ptr("1.31"), Objects: ptr(300), Rate: ptr(20.0), Seed: ptr(uint64(2))}, 10 * time.Minute, nil},
	{"RealFIFO without batches", selection.Change{Release: ptr("1.33"), Objects: ptr(300), Rate: ptr(20.0), Seed: ptr(uint64(3))}, 10 * time.Minute, nil},
	{"WatchList", selection.Change{Release: ptr("1.35"), Objects: ptr(300), Rate: ptr(20.0), Seed: ptr(uint64(4))}, 10 * time.Minute, nil},
	{"two releases", selection.Change{Release: ptr("1.31,1.37"), Objects: ptr(200), Rate: ptr(10.0), Seed: ptr(uint64(5))}, 10 * time.Minute, nil},
	{"a factory", selection.Change{Resource: ptr("pods,nodes,deployments.apps,replicasets.apps,services,configmaps"), Objects: ptr(400), Rate: ptr(20.0),
		Seed: ptr(uint64(6))}, 10 * time.Minute, nil},
	{"a quiet resource", selection.Change{Resource: ptr("configmaps"), Objects: ptr(50), Rate: ptr(0.0), Seed: ptr(uint64(7))}, 30 * time.Minute, nil},
	// In a longer time, the controller retries the crash-looping pods that nothing changes without end: see TestRules.
	{"many objects", selection.Change{Objects: ptr(5000), Rate: ptr(50.0), Seed: ptr(uint64(8))}, 2 * time.Minute, nil},
	{"a high rate", selection.Change{Objects: ptr(500), Rate: ptr(300.0), Seed: ptr(uint64(9))}, 3 * time.Minute, nil},
	{"a transform and a selector", selection.Change{Objects: ptr(500), Rate: ptr(30.0), Seed: ptr(uint64(10)), Transform: ptr("metadata"),
		Selector: ptr("tier=backend")}, 10 * time.Minute, nil},
	{"a burst and a scaling", selection.Change{Objects: ptr(300), Rate: ptr(5.0), Seed: ptr(uint64(11))}, 5 * time.Minute, func(p *patient) {
		p.cluster("burst", lab.ClusterArgs{N: 200})
		p.cluster("create", lab.ClusterArgs{Name: "web", Replicas: 100})
	}},
	{"a slow but healthy start", selection.Change{Objects: ptr(2000), Rate: ptr(10.0), Seed: ptr(uint64(12))}, 4 * time.Minute, func(p *patient) {
		p.fault("delay", lab.FaultArgs{On: ptr(true), Millis: 3000})
		_, err := p.lab.Select(p.t.Context(), selection.Change{Release: ptr("1.33")})
		p.check(err)
		p.pass(20 * time.Second)
		p.fault("delay", lab.FaultArgs{On: ptr(false)})
	}},
	{"an operator in CI", selection.Change{Resource: ptr("deployments.apps,replicasets.apps,pods"), Objects: ptr(20), Rate: ptr(0.0), Seed: ptr(uint64(13))},
		20 * time.Second, func(p *patient) {
			p.cluster("create", lab.ClusterArgs{Name: "web", Replicas: 5})
			p.pass(5 * time.Second)
			p.cluster("burst", lab.ClusterArgs{N: 20})
			p.pass(5 * time.Second)
			p.check(p.lab.Shutdown())
		}},
	{"a quiet cluster over an hour", selection.Change{Objects: ptr(100), Rate: ptr(0.0), Seed: ptr(uint64(14))}, time.Hour, nil},
	{"a rolling API server", selection.Change{Objects: ptr(200), Rate: ptr(5.0), Seed: ptr(uint64(15))}, 10 * time.Minute, func(p *patient) {
		for range 3 { // each of three replicas drops its connections, and another one answers soon
			p.fault("refuse", lab.FaultArgs{On: ptr(true)})
			p.pass(3 * time.Second)
			p.fault("refuse", lab.FaultArgs{On: ptr(false)})
			p.pass(90 * time.Second)
		}
	}},
}

// TestHealthyProgramsHaveNoFindings holds that no rule raises a false alarm.
func TestHealthyProgramsHaveNoFindings(t *testing.T) {
	for _, tc := range healthy {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				tc.lasting = min(tc.lasting, time.Minute)
			}
			runExperiment(t, tc.change, func(p *patient) {
				p.pass(tc.lasting / 2)
				if tc.during != nil {
					tc.during(p)
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
