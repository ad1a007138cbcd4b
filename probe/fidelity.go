package probe

import (
	"fmt"

	"example.org/informerscope/probe/internal/joints"
)

// fidelity is how a member of the State is known, and why it is not known better.
type fidelity struct {
	How string `json:"how"` // exact, derived, sampled, unseen
	Why string `json:"why,omitempty"`
}

// fidelities returns how each member of this informer's State is known.
func (l *lane) fidelities(wired bool) map[string]fidelity {
	l.mu.Lock()
	defer l.mu.Unlock()
	unlessOff := func(layer string, otherwise fidelity) fidelity {
		if why := l.layersOff[layer]; why != "" {
			return fidelity{"unseen", why}
		}
		return otherwise
	}
	perSecond := fmt.Sprintf("%d times a second", 1000/samplePeriod.Milliseconds())
	queue := unlessOff("queued", fidelity{"derived",
		"the probe sees what is enqueued, and takes it as popped when the store has changed; it does not see a Sync or a tombstone"})
	if queue.How == "unseen" && l.layersOff["queue"] == "" {
		queue = fidelity{"sampled", perSecond + ", because: " + queue.Why}
	}
	if why := l.layersOff["queue"]; why != "" && queue.How == "derived" {
		queue.Why += "; what was in it when this recording began is unknown: " + why
	}
	indexer := unlessOff("store", fidelity{How: "exact"})
	if !joints.Available && indexer.How == "exact" {
		indexer = fidelity{"derived", "from a handler that the probe adds: it is called after the store has changed, and not for an update that brings the same " +
			"version; " + joints.LeftOut}
	}
	if why := l.layersOff["count"]; why != "" && indexer.How == "exact" {
		indexer = fidelity{"derived", "the probe sees each change, but not an empty list that replaced all objects: " + why}
	}
	handlers := unlessOff("handlers", fidelity{How: "exact"})
	listeners := fidelity{"sampled", perSecond}
	if why := l.layersOff["listeners"]; why != "" {
		listeners = fidelity{"derived", "only those that were added through what the probe returned, and whose handlers have been called: " + why}
		if handlers.How == "unseen" {
			listeners = fidelity{"unseen", why}
		}
	}
	const noBytes = "the probe does not measure objects"
	f := map[string]fidelity{
		"api":                       {How: "exact"},
		"reflector":                 {"derived", "from its requests and their answers"},
		"reflector.resourceVersion": {"sampled", perSecond},
		"reflector.backoffMillis":   {"derived", "the shortest wait of client-go's default backoff after as many failed requests; it waits up to twice as long"},
		"queue":                     queue,
		"queue.synced":              {"sampled", perSecond},
		"queue.locked":              {"unseen", "a lock that is not free may be held for another reason"},
		"indexer":                   indexer,
		"indexer.bytes":             {"unseen", noBytes},
		"indexer.cameBytes":         {"unseen", noBytes},
		"indexer.objects":           l.bodiesFidelityLocked(),
		"indexer.indices":           {"derived", "the recording has only the values of the index by namespace; those of others may be secrets"},
		"listeners":                 listeners,
		"listeners.handling":        handlers,
		"listeners.handled":         handlers,
		"listeners.panics":          handlers,
		"listeners.meanMicros":      handlers,
		"listeners.delivered":       unlessOff("handlers", fidelity{"derived", "from the beginnings of the handler's calls"}),
		"listeners.synced":          unlessOff("listeners", fidelity{"sampled", perSecond}),
		"listeners.pending":         unlessOff("listeners", unlessOff("rings", fidelity{"sampled", perSecond})),
		"listeners.ring":            unlessOff("listeners", unlessOff("rings", fidelity{"sampled", perSecond})),
		"listeners.capacity":        unlessOff("listeners", unlessOff("rings", fidelity{"sampled", perSecond})),
		"listeners.waiting":         {"unseen", "what waits at nextCh is in a local variable of client-go"},
		"listeners.distributed":     {"unseen", "the probe does not see addCh and nextCh"},
		"workqueue":                 {"unseen", "the work queue was not given to the probe"},
		"holds":                     {"unseen", "a probe watches and never acts"},
	}
	if why := l.layersOff["queue"]; why != "" {
		f["era"] = fidelity{"derived", "the default of this release of client-go, because: " + why}
	}
	l.workFidelities(f)
	if l.isRepeated.Load() {
		why := "several informers list this resource: the probe assigns a request by its selectors, and by which of them has no open one"
		f["api"], f["reflector"] = fidelity{"derived", why}, fidelity{"derived", "from its requests and their answers; " + why}
	}
	if why := l.layersOff["frames"]; why != "" {
		f["api"] = fidelity{"derived", "the probe sees requests and bytes, but only some frames: " + why}
	}
	if !wired {
		why := "no request of this informer was seen: its client was made without Probe.WrapConfig, or its requests came before it"
		f["api"], f["reflector"] = fidelity{"unseen", why}, fidelity{"unseen", why}
	}
	for _, t := range l.timers {
		if t.h == nil && t.isListed {
			f[fmt.Sprintf("listeners.%d", t.id)] = fidelity{"sampled", "this handler was added without the probe"}
		}
	}
	if why := l.layersOff["samples"]; why != "" {
		for k, x := range f {
			if x.How == "sampled" {
				f[k] = fidelity{"unseen", why}
			}
		}
	}
	return f
}

// bodiesFidelityLocked returns how the bodies of objects are known.
func (l *lane) bodiesFidelityLocked() fidelity {
	switch {
	case l.noBodies != "":
		return fidelity{"unseen", l.noBodies}
	case l.layersOff["objects"] != "":
		return fidelity{"unseen", l.layersOff["objects"]}
	case l.layersOff["store"] != "":
		return fidelity{"unseen", l.layersOff["store"]}
	}
	return fidelity{"derived", "no body: of a version that a newer one replaced before it was read, of one larger than 1 MiB, of what may be a Secret, " +
		"and beyond the first 16 MiB of many objects together; copies of manifests are left out"}
}
