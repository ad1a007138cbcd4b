package view

import (
	"cmp"
	"slices"

	"informerscope/core/trace"
)

const (
	// restingGroups is how many empty groups keep their place, so that a group does not move when its objects go and come back.
	restingGroups = 8
	// gapGroups is the number of empty places above which, if they are more than half, all cells are sent again without them.
	gapGroups = 64
)

// groups are the groups of a lane's cells, as the page has them. Cells and counts refer to a group by its number. An empty group's number is eventually given
// to another group, so that a label whose values churn leaves nothing behind.
type groups struct {
	names   []string
	ids     map[string]int
	cells   []int  // the cells of each that the page has
	resting []int  // numbers of groups that may be empty, longest first
	listed  []bool // which groups are in resting
	counts  []int  // the objects of each, as sent
}

// reset starts again with the groups of an index, the largest first, so that the page's first picture is in that order.
func (g *groups) reset(index trace.Index) {
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

// id returns the number of a group, and assigns one if it has none.
func (g *groups) id(name string, index trace.Index) int {
	id, ok := g.ids[name]
	if ok {
		return id
	}
	id = -1
	for id < 0 && len(g.resting) > restingGroups {
		first := g.resting[0]
		g.resting, g.listed[first] = g.resting[1:], false
		if g.cells[first] == 0 && index.Count(g.names[first]) == 0 {
			id = first
			delete(g.ids, g.names[first])
		}
	}
	if id < 0 {
		id = len(g.names)
		g.names, g.cells, g.listed = append(g.names, ""), append(g.cells, 0), append(g.listed, false)
	}
	g.names[id], g.ids[name] = name, id
	return id
}

// enter counts a cell that is added to the page.
func (g *groups) enter(id int) { g.cells[id]++ }

// leave counts a cell that is removed from the page.
func (g *groups) leave(id int) {
	if g.cells[id]--; g.cells[id] == 0 && !g.listed[id] {
		g.resting, g.listed[id] = append(g.resting, id), true
	}
}

// count counts the objects of each group. changed: the counts differ from those sent. gaps: most places are empty, so that all cells should be sent again.
func (g *groups) count(index trace.Index) (changed, gaps bool) {
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
		if g.counts[i] = index.Count(name); name == noGroup { // the index does not contain objects without a value
			g.counts[i] = max(g.counts[i], g.cells[i])
		}
		if g.counts[i] == 0 && g.cells[i] == 0 {
			empty++
		}
	}
	return renamed || !slices.Equal(was, g.counts), empty > gapGroups && empty > len(g.names)/2
}
