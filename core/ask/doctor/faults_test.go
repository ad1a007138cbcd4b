package doctor_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/core/ask/doctor"
	"informerscope/core/lab"
	"informerscope/core/lab/selection"
)

// small is a cluster without changes of its own.
func small(release string) selection.Change {
	return selection.Change{Objects: ptr(40), Rate: ptr(0.0), Seed: ptr(uint64(7)), Release: &release}
}

func (p *patient) fault(name string, args lab.FaultArgs) {
	p.t.Helper()
	if _, err := p.lab.Informer(0).Fault(name, args); err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) cluster(verb string, a lab.ClusterArgs) {
	p.t.Helper()
	if _, err := p.lab.Cluster(verb, a); err != nil {
		p.t.Fatal(err)
	}
}

func (p *patient) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// ills are experiments with one fault each, and the finding that must name it.
var ills = []struct {
	rule, name string
	change     selection.Change
	do         func(p *patient)
	weight     doctor.Weight
	says       []string // parts of the finding's English words
	also       []string // rules that may find something too: the fault shows in several ways
	story      string   // the one that explains it, if it is another than the rule's
}{
	{rule: "slow-handler", change: selection.Change{Objects: ptr(200), Rate: ptr(60.0), Seed: ptr(uint64(7))}, do: func(p *patient) {
		_, err := p.lab.Informer(0).AddListener(lab.ListenerSpec{Name: "mailer", PaceMillis: 120})
		p.check(err)
		p.pass(time.Minute)
	}, weight: doctor.Critical, says: []string{"mailer takes 12", "its ring went from"}},

	{rule: "slow-handler", name: "that has recovered", change: selection.Change{Objects: ptr(40), Rate: ptr(60.0), Seed: ptr(uint64(7))},
		do: func(p *patient) {
			id, err := p.lab.Informer(0).AddListener(lab.ListenerSpec{Name: "mailer", PaceMillis: 120})
			p.check(err)
			p.pass(time.Minute)
			p.check(p.lab.Informer(0).Pace(id, 0))
			p.pass(time.Minute)
		}, weight: doctor.Warning, says: []string{"mailer takes 12"}},

	{rule: "stuck-handler", change: small("1.37"), do: func(p *patient) {
		p.pass(20 * time.Second)
		_, err := p.lab.Informer(0).AddListener(lab.ListenerSpec{Name: "blocked", PaceMillis: 60_000})
		p.check(err)
		p.pass(15 * time.Second)
	}, weight: doctor.Critical, says: []string{"A call of blocked has run for 15 s", "38 notifications wait"}},

	{rule: "stuck-handler", name: "that returned", change: small("1.37"), do: func(p *patient) {
		id, err := p.lab.Informer(0).AddListener(lab.ListenerSpec{Name: "blocked", PaceMillis: 12_000})
		p.check(err)
		p.pass(time.Second)
		p.check(p.lab.Informer(0).Pace(id, 0))
		p.pass(15 * time.Second)
	}, weight: doctor.Warning, says: []string{"A call of blocked took 12 s"}},

	{rule: "handler-panic", change: small("1.37"), do: func(p *patient) {
		p.pass(5 * time.Second)
		p.check(p.lab.Informer(0).Panic(1))
		p.cluster("burst", lab.ClusterArgs{N: 3})
		p.pass(5 * time.Second)
	}, weight: doctor.Critical, says: []string{"Panics of printer: 1"}},

	{rule: "leaked-handlers", change: small("1.37"), do: func(p *patient) {
		for _, name := range []string{"tenant-1", "tenant-2", "tenant-13"} {
			p.pass(10 * time.Second)
			_, err := p.lab.Informer(0).AddListener(lab.ListenerSpec{Name: name})
			p.check(err)
		}
		p.pass(time.Second)
	}, weight: doctor.Warning, says: []string{"3 handlers named tenant-#", "on 3 occasions"}},

	{rule: "cut-watches", change: small("1.37"), do: func(p *patient) {
		for range 4 {
			p.pass(10 * time.Second)
			p.fault("cut", lab.FaultArgs{})
		}
		p.pass(10 * time.Second)
	}, weight: doctor.Warning, says: []string{"Watches of pods that ended within a minute: 4, the last one after 1"}},

	{rule: "relist-loop", change: small("1.37"), do: func(p *patient) {
		for range 4 {
			p.pass(time.Minute)
			p.fault("410", lab.FaultArgs{})
		}
		p.pass(20 * time.Second)
	}, weight: doctor.Warning, says: []string{"It relisted 4 times", "410 Expired"}},

	{rule: "relist-loop", name: "that has no end", change: small("1.37"), do: func(p *patient) {
		for range 12 {
			p.pass(40 * time.Second)
			p.fault("410", lab.FaultArgs{})
		}
		p.pass(20 * time.Second)
	}, weight: doctor.Critical, says: []string{"10+ times", "too old resource version"}, also: []string{"cut-watches"}},

	{rule: "outage", name: "of server errors", change: small("1.31"), do: func(p *patient) {
		for range 6 {
			p.pass(10 * time.Second)
			p.fault("cut", lab.FaultArgs{})
			p.fault("500", lab.FaultArgs{Count: 3})
		}
	}, weight: doctor.Critical, says: []string{"The API server answers with an error. From the API server: “Internal error occurred", "for 1 of 1 informers"},
		also: []string{"cut-watches"}},

	{rule: "outage", name: "for the last 20 s", change: selection.Change{Resource: ptr("pods,nodes"), Objects: ptr(40), Rate: ptr(0.0), Seed: ptr(uint64(7))},
		do: func(p *patient) {
			p.pass(20 * time.Second)
			p.fault("refuse", lab.FaultArgs{On: ptr(true)})
			p.pass(20 * time.Second)
		}, weight: doctor.Critical, says: []string{"The cluster refuses connections.", "for 2 of 2 informers"}},

	{rule: "dead-watch", change: small("1.37"), do: func(p *patient) {
		p.pass(time.Minute) // the first bookmark comes once the version has grown
		p.fault("nobookmarks", lab.FaultArgs{On: ptr(true)})
		p.pass(200 * time.Second) // the watch, which ends after 5 to 10 minutes, is still the first
	}, weight: doctor.Critical, says: []string{"neither an event nor a bookmark for"}},

	{rule: "dead-watch", name: "found by a PING", change: small("1.37"), do: func(p *patient) {
		p.pass(10 * time.Second)
		p.fault("halfopen", lab.FaultArgs{On: ptr(true)})
		p.pass(time.Minute)
		p.fault("halfopen", lab.FaultArgs{On: ptr(false)})
		p.pass(time.Minute)
	}, weight: doctor.Warning, says: []string{"Watches that turned out to be dead: 1, the last one after 4"}},

	{rule: "missing-permission", change: small("1.37"), do: func(p *patient) {
		p.fault("forbidden", lab.FaultArgs{On: ptr(true)})
		_, err := p.lab.Select(p.t.Context(), small("1.35"))
		p.check(err)
		p.pass(time.Minute)
	}, weight: doctor.Critical, says: []string{"may not list and watch pods in all namespaces (403). From the API server: “pods is forbidden"}},

	{rule: "missing-permission", name: "that was given later", change: small("1.37"), do: func(p *patient) {
		p.fault("forbidden", lab.FaultArgs{On: ptr(true)})
		_, err := p.lab.Select(p.t.Context(), small("1.35"))
		p.check(err)
		p.pass(10 * time.Second)
		p.fault("forbidden", lab.FaultArgs{On: ptr(false)})
		p.pass(2 * time.Minute)
	}, weight: doctor.Warning, says: []string{"A later one was answered."}},

	{rule: "outage", name: "from the beginning", change: small("1.37"), do: func(p *patient) {
		p.fault("refuse", lab.FaultArgs{On: ptr(true)})
		_, err := p.lab.Select(p.t.Context(), small("1.33"))
		p.check(err)
		p.pass(40 * time.Second)
	}, weight: doctor.Critical, says: []string{"The cluster refuses connections. From the network: “dial tcp: connect: connection refused”. It has been so for"}},

	{rule: "never-synced", name: "because its queue is blocked", change: small("1.37"), do: func(p *patient) {
		p.check(p.lab.Informer(0).Hold("pop", 0))
		_, err := p.lab.Select(p.t.Context(), small("1.37"))
		p.check(err)
		p.pass(40 * time.Second)
	}, weight: doctor.Critical, says: []string{"entries of its queue, which a hold of pop keeps"}, story: "indexing"},

	{rule: "never-synced", name: "because it was never started",
		change: selection.Change{Resource: ptr("pods,nodes"), Objects: ptr(40), Rate: ptr(0.0), Seed: ptr(uint64(7))}, do: func(p *patient) {
			p.pass(5 * time.Second)
			p.check(p.lab.Shutdown())
			p.pass(5 * time.Second)
			p.check(p.lab.Start("nodes", "", ""))
			p.pass(30 * time.Second)
		}, weight: doctor.Critical, says: []string{"It was never started"}, story: "unstarted"},

	{rule: "no-end-mark", change: small("1.37"), do: func(p *patient) {
		p.fault("noendmark", lab.FaultArgs{On: ptr(true)})
		_, err := p.lab.Select(p.t.Context(), small("1.35"))
		p.check(err)
		p.pass(30 * time.Second)
	}, weight: doctor.Critical, says: []string{"lacked the mark k8s.io/initial-events-end"}},

	{rule: "unshared-informers", change: small("1.37"), do: func(p *patient) {
		p.pass(5 * time.Second)
		_, err := p.lab.Informer(0).SetUnshared(ptr(true))
		p.check(err)
		p.pass(5 * time.Second)
	}, weight: doctor.Warning, says: []string{"2 informers watch pods", "a store of"}},

	{rule: "mutated-objects", change: small("1.37"), do: func(p *patient) {
		p.fault("mutate", lab.FaultArgs{On: ptr(true)})
		p.pass(5 * time.Second)
		p.cluster("burst", lab.ClusterArgs{N: 5})
		p.pass(5 * time.Second)
	}, weight: doctor.Critical, says: []string{"which it shares with the store"}},

	{rule: "memory", change: selection.Change{Objects: ptr(5000), Rate: ptr(0.0), Seed: ptr(uint64(7))}, do: func(p *patient) { p.pass(20 * time.Second) },
		weight: doctor.Hint, says: []string{"MiB of JSON", "metadata"}},

	{rule: "self-caused-loop", change: small("1.37"), do: func(p *patient) {
		p.fault("rewrite", lab.FaultArgs{On: ptr(true)})
		p.pass(5 * time.Second)
		p.cluster("burst", lab.ClusterArgs{N: 1})
		p.pass(2 * time.Second)
	}, weight: doctor.Critical, says: []string{"times in a row"}, also: []string{"reads-before-own-writes"}},

	{rule: "reads-before-own-writes", change: selection.Change{Objects: ptr(2000), Rate: ptr(100.0), Seed: ptr(uint64(7))}, do: func(p *patient) {
		p.pass(5 * time.Second)
		p.fault("delay", lab.FaultArgs{On: ptr(true), Millis: 400}) // the informer hears late of what the controller wrote
		p.pass(2 * time.Minute)
	}, weight: doctor.Warning, says: []string{"reads were older than a write of the same controller"}},

	{rule: "starved-keys", change: selection.Change{Objects: ptr(500), Rate: ptr(0.0), Seed: ptr(uint64(7))}, do: func(p *patient) {
		p.fault("ratelimit", lab.FaultArgs{On: ptr(true)})
		_, err := p.lab.Select(p.t.Context(), selection.Change{Release: ptr("1.35")})
		p.check(err)
		p.pass(time.Minute)
	}, weight: doctor.Warning, says: []string{"The rate limiter held back", "keys that had not failed"}},

	{rule: "starved-keys", name: "by workers that are held up", change: small("1.37"), do: func(p *patient) {
		p.pass(5 * time.Second)
		p.check(p.lab.Informer(0).Hold("take", 0))
		p.cluster("burst", lab.ClusterArgs{N: 20})
		p.pass(20 * time.Second)
	}, weight: doctor.Warning, says: []string{"waited in the queue for a worker"}},

	{rule: "endless-retries", change: selection.Change{Objects: ptr(3000), Rate: ptr(5.0), Seed: ptr(uint64(8))},
		do: func(p *patient) { p.pass(10 * time.Minute) }, weight: doctor.Warning, says: []string{"times in a row, and is retried"}},
}

// TestRules plays each fault and holds that its rule finds it, that the finding says what it must, and that no other rule of weight finds anything.
func TestRules(t *testing.T) {
	tested := map[string]bool{}
	for _, tc := range ills {
		tested[tc.rule] = true
		t.Run(strings.TrimSpace(tc.rule+" "+tc.name), func(t *testing.T) {
			runExperiment(t, tc.change, func(p *patient) {
				tc.do(p)
				found := false
				for _, f := range p.findings() {
					switch {
					case f.Rule == tc.rule:
						found = true
						if f.Weight != tc.weight {
							t.Errorf("%s, want %s: %s", f.Weight, tc.weight, f.What.EN)
						}
						for _, part := range tc.says {
							if !strings.Contains(f.What.EN, part) {
								t.Errorf("%q does not say %q", f.What.EN, part)
							}
						}
						if want := cmp.Or(tc.story, ruleOf(f).Story); f.Story != want {
							t.Errorf("the story %s explains it, want %s", f.Story, want)
						}
						expectComplete(p, f)
					case f.Weight != doctor.Hint && !contains(tc.also, f.Rule):
						t.Errorf("also %s: %s", f.Rule, f.What.EN)
					}
				}
				if !found {
					t.Errorf("nothing found; it found %+v", p.findings())
				}
			})
		})
	}
	for _, elsewhere := range []string{"bad-credentials", "unserved-resource", "busy-workers", "versions-went-back", "store-apart", "refused-list"} {
		// By TestSituations of the relay, which has their answers, by TestRecordingsOfAProbe, and by the server's TestASecondOpinion, which has a cluster.
		tested[elsewhere] = true
	}
	for _, r := range doctor.Rules() {
		if !tested[r.Name] {
			t.Errorf("no recording tests the rule %s", r.Name)
		}
	}
}

func ruleOf(f doctor.Finding) doctor.Rule {
	all := doctor.Rules()
	return all[slices.IndexFunc(all, func(r doctor.Rule) bool { return r.Name == f.Rule })]
}

func contains(all []string, name string) bool {
	for _, x := range all {
		if x == name {
			return true
		}
	}
	return false
}

// expectComplete holds that a finding has all that a reader needs, and leads to an event of the log.
func expectComplete(p *patient, f doctor.Finding) {
	p.t.Helper()
	if f.Seq == 0 || f.Seq > p.seen || f.SinceMillis > f.AtMillis || f.Confidence != "exact" || f.Story == "" || f.Informer == "" {
		p.t.Errorf("%+v", f)
	}
	for _, words := range []doctor.Words{f.Title, f.What, f.Advice} {
		if words.EN == "" || words.ZH == "" || strings.Contains(words.EN+words.ZH, "%!") {
			p.t.Errorf("%s: %+v", f.Rule, words)
		}
	}
}
