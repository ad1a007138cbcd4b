package view

import (
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

// forkAt returns how the lanes of a fork differ, as far as the chips have come. Where they part and their handlers are those that the listeners show, and their
// stores those that the Indexers show. It is nil without a fork.
func forkAt(newest *fold.Fold, shown *stationFolds) *facts.Fork {
	if !newest.IsFork() || !shown[atListeners].IsFork() { // the second lane has just come
		return newest.Fork()
	}
	return shown[atListeners].ForkWith(shown[atIndexer].Fold)
}
