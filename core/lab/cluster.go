package lab

import (
	"context"
	"errors"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab/action"
	"informerscope/core/wire/faults"
)

// ClusterArgs are the arguments of Cluster; the lever decides which are needed.
type ClusterArgs = levers.Args

// Cluster pulls a lever of the simulated cluster and returns a sentence about what it did.
func (l *Lab) Cluster(verb string, a ClusterArgs) (words string, err error) {
	if s, ok := l.sharedCluster(); ok {
		return l.pullShared(s, verb, a)
	}
	lever := levers.Find(verb)
	err = l.act(func() (s action.Step, err error) {
		if words, err = l.changeLocked(verb, a); l.src == nil || l.src.cluster == nil || lever == nil || lever.Check(a) != nil {
			return s, err
		}
		return leverStep(lever, a), err // even a failed action may have changed something
	})
	return words, err
}

// leverStep returns a pull of a lever as a step of a story.
func leverStep(v *levers.Lever, a ClusterArgs) action.Step {
	return action.New(v.Verb(), v.Write(a)...)
}

// changeLocked pulls a lever of the page's own cluster.
func (l *Lab) changeLocked(verb string, a ClusterArgs) (string, error) {
	if l.src == nil || l.src.cluster == nil {
		return "", errors.New("only the simulated cluster can be changed from here: a live cluster is never written to")
	}
	l.logPull(verb, a)
	words, err := levers.Own(l.src.cluster).Pull(context.Background(), verb, a)
	if err == nil {
		l.selection.Rate = l.src.cluster.Rate()
		if l.exp != nil {
			l.missingNamespaceLocked(l.exp.generation) // it may be there now
		}
	}
	return words, err
}

// logPull logs the fault that a lever strikes the API server with.
func (l *Lab) logPull(verb string, a ClusterArgs) {
	if v := levers.Find(verb); v != nil && v.Strikes != "" {
		l.emitFault(faults.Strike{Name: v.Strikes, On: v.Holds && a.N > 0, Struck: 1})
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
