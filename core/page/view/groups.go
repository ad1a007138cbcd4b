package view

import (
	"cmp"
	"slices"

	"informerscope/core/log/fold"
)

const (
	// spareGroups is how many empty groups keep their number, so that a group does not move when its objects go and come back.
	spareGroups = 8
	// gapGroups is the number of empty groups above which, if they are more than half, the view sends all cells again without them.
	gapGroups = 64
)

// groups has the groups of a lane's cells, as the page has them. Cells and counts refer to a group by its number. Another group reuses the number of an empty
// one, so that groups stay few even if an index has ever new values.
type groups struct {
	names       []string
	ids         map[string]int
	cells       []int  // the number of each group's cells on the page
	candidates  []int  // numbers that can be reused if their group is still empty, oldest first
	isCandidate []bool // which groups are in candidates
	counts      []int  // the number of each group's objects, as sent
}

// reset replaces all groups by those of an index. The largest group gets the first number, so the page draws it first.
func (g *groups) reset(index fold.Index) {
	*g = groups{ids: map[string]int{}}
	names := make([]string, 0, index.Len())
	index.Range(func(name string, _ int) bool {
		names = append(names, name)
		return true
	})
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(index.Count(b), index.Count(a)), cmp.Compare(a, b))
	})
	for _, name := range names {
		g.id(name, index)
	}
}

// id returns the number of a group. It assigns one to a new group.
func (g *groups) id(name string, index fold.Index) int {
	id, ok := g.ids[name]
	if ok {
		return id
	}
	id = -1
	for id < 0 && len(g.candidates) > spareGroups {
		first := g.candidates[0]
		g.candidates, g.isCandidate[first] = g.candidates[1:], false
		if g.cells[first] == 0 && index.Count(g.names[first]) == 0 {
			id = first
			delete(g.ids, g.names[first])
		}
	}
	if id < 0 {
		id = len(g.names)
		g.names, g.cells, g.isCandidate = append(g.names, ""), append(g.cells, 0), append(g.isCandidate, false)
	}
	g.names[id], g.ids[name] = name, id
	return id
}

// enter counts a cell that is added to the page.
func (g *groups) enter(id int) { g.cells[id]++ }

// leave counts a cell that is removed from the page.
func (g *groups) leave(id int) {
	if g.cells[id]--; g.cells[id] == 0 && !g.isCandidate[id] {
		g.candidates, g.isCandidate[id] = append(g.candidates, id), true
	}
}

// count counts the objects of each group. changed: the counts differ from those sent. gaps: most groups are empty, so the view should send all cells again.
func (g *groups) count(index fold.Index) (changed, gaps bool) {
	renamed := false
	index.Range(func(name string, _ int) bool {
		_, known := g.ids[name]
		renamed = renamed || !known
		g.id(name, index)
		return true
	})
	was := g.counts
	g.counts = make([]int, len(g.names))
	empty := 0
	for i, name := range g.names {
		if g.counts[i] = index.Count(name); name == noGroup { // the index does not have objects without a value
			g.counts[i] = max(g.counts[i], g.cells[i])
		}
		if g.counts[i] == 0 && g.cells[i] == 0 {
			empty++
		}
	}
	return renamed || !slices.Equal(was, g.counts), empty > gapGroups && empty > len(g.names)/2
}
