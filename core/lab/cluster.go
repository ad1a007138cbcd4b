package lab

import (
	"cmp"
	"context"
	"errors"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab/action"
	"informerscope/core/wire/faults"
)

// ClusterArgs are the arguments of Cluster; the verb decides which are needed.
type ClusterArgs = levers.Args

// Cluster changes the simulated cluster and returns a sentence about what it did.
func (l *Lab) Cluster(verb string, a ClusterArgs) (words string, err error) {
	if s, ok := l.sharedCluster(); ok {
		return l.pullShared(s, verb, a)
	}
	err = l.act(func() (s action.Step, err error) {
		if words, err = l.change(verb, a); l.src == nil || l.src.cluster == nil {
			return s, err
		}
		name := cmp.Or(a.Namespace, "default") + "/" + a.Name
		switch verb { // even a failed action may have changed something
		case "create", "scale":
			return action.New(verb, name, max(a.Replicas, 0)), err
		case "restart":
			return action.New(verb, name), err
		case "deleteDeployment":
			return action.New("drop", name), err
		case "delete":
			if a.Key == "" && a.Name != "" {
				a.Key = name
			}
			return action.New(verb, a.Key), err
		case "burst", "failover", "crowd", "finalizer":
			return action.New(verb, max(a.N, 0)), err
		case "label":
			return action.New(verb, a.Label, a.Key), err
		case "compact", "expire":
			return action.New(verb), err
		case "rate":
			if err == nil {
				return action.New(verb, a.PerSecond), nil
			}
		}
		return s, err
	})
	return words, err
}

// change carries out a verb of Cluster on the page's own cluster. l.mu is held.
func (l *Lab) change(verb string, a ClusterArgs) (string, error) {
	if l.src == nil || l.src.cluster == nil {
		return "", errors.New("only the simulated cluster can be changed from here: a live cluster is never written to")
	}
	l.logPull(verb, a)
	words, err := levers.Own(l.src.cluster).Pull(context.Background(), verb, a)
	switch {
	case err != nil:
	case verb == "create" && l.exp != nil:
		l.missingNamespace(l.exp.generation)
	case verb == "rate":
		l.selection.Rate = a.PerSecond
	}
	return words, err
}

// logPull logs what a verb does to the API server.
func (l *Lab) logPull(verb string, a ClusterArgs) {
	switch verb {
	case "compact", "expire":
		l.emitFault(faults.Strike{Name: verb, Struck: 1})
	case levers.Reboot:
		l.emitFault(faults.Strike{Name: "restart", Struck: 1})
	case "failover":
		l.emitFault(faults.Strike{Name: verb, On: a.N > 0, Struck: 1})
	}
}

// sharedCluster returns the simulated cluster in the server's process, if that is the source.
func (l *Lab) sharedCluster() (levers.Shared, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.o.Audience || l.src == nil || l.src.shared == nil {
		return levers.Shared{}, false
	}
	return *l.src.shared, true
}

// pullShared changes the cluster in the server's process. No lock is held while its answer is under way.
func (l *Lab) pullShared(s levers.Shared, verb string, a ClusterArgs) (string, error) {
	words, err := s.Pull(context.Background(), verb, a)
	if err != nil {
		return words, err
	}
	return words, l.act(func() (action.Step, error) {
		l.logPull(verb, a)
		return action.Step{}, nil
	})
}
