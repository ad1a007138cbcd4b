package view

import (
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

// RowMoves are the moves of an informer that has a row, and not the stage.
type RowMoves struct {
	Lane  int    `json:"lane"`
	Moves []Move `json:"moves"`
}

// factoryAt returns what several informers show together, each column as the chips have reached it; nil for a single informer.
func factoryAt(newest *fold.Fold, lane int, shown *stationFolds) *facts.Factory {
	if shown[atAPI].Fold == shown[atController].Fold {
		return newest.Factory(lane)
	}
	out := shown[atListeners].Factory(lane)
	if out == nil {
		return newest.Factory(lane) // the second informer has just come
	}
	out.Objects = 0
	columns := map[station]map[int]facts.FactoryRow{}
	for _, at := range []station{atAPI, atReflector, atQueue, atIndexer, atController} {
		x := shown[at].Factory(lane)
		if x == nil {
			return newest.Factory(lane)
		}
		columns[at] = map[int]facts.FactoryRow{}
		for _, r := range x.Rows {
			columns[at][r.Lane] = r
		}
		if at == atAPI {
			out.API, out.Open = x.API, x.Open
			out.API.Twice = []facts.FactoryTwice{}
		}
	}
	for i := range out.Rows {
		r := &out.Rows[i]
		api, reflector := columns[atAPI][r.Lane], columns[atReflector][r.Lane]
		r.Requests, r.Request, r.Lists, r.Watches, r.Trouble, r.Cause = api.Requests, api.Request, api.Lists, api.Watches, api.Trouble, api.Cause
		r.Phase, r.ResourceVersion = reflector.Phase, reflector.ResourceVersion
		r.Depth, r.Count = columns[atQueue][r.Lane].Depth, columns[atIndexer][r.Lane].Count
		r.Work = columns[atController][r.Lane].Work
		out.Objects += r.Count
		r.Twice = false
	}
	out.Pair()
	out.Sentence = out.ChooseSentence()
	return out
}

// rowMoves takes the moves of the informers that have rows, in the order of their lanes.
func (v *View) rowMoves(stage int) []RowMoves {
	var out []RowMoves
	for i, l := range v.lanes {
		if i == stage {
			continue
		}
		if moves, _, _ := l.moves.take(); len(moves) > 0 && !v.hasJumped {
			out = append(out, RowMoves{Lane: i, Moves: moves})
		}
	}
	return out
}
