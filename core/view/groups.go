package view

import (
	"cmp"
	"slices"

	"informerscope/core/trace"
)

const (
	// restingGroups is how many groups without an object keep their place: one whose objects go and come again does not move.
	restingGroups = 8
	// gapGroups is how many places without an object there are at least, and more than half of all, before all cells are sent anew
	// without them.
	gapGroups = 64
)

// groups are the groups of a lane's cells as the page knows them. A group has a number, by which cells and counts name it. One that has no
// object any more gives its number to another in time, so that labels whose values churn leave nothing behind.
type groups struct {
	names   []string
	ids     map[string]int
	cells   []int  // how many cells the page has of each
	resting []int  // numbers of groups that may be without an object, the one that has been so longest first
	listed  []bool // which of all are among them
	counts  []int  // the objects of each, as sent
}

// reset forgets all groups and begins with those of an index, the largest first, so that the page's first picture is in its order.
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

// id is the number of a group, which it gets if it has none.
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

// enter counts a cell that the page gets.
func (g *groups) enter(id int) { g.cells[id]++ }

// leave counts a cell that the page has no more.
func (g *groups) leave(id int) {
	if g.cells[id]--; g.cells[id] == 0 && !g.listed[id] {
		g.resting, g.listed[id] = append(g.resting, id), true
	}
}

// count counts the objects of each group. Changed: it is not what was sent. Gaps: most places have no object, so that
// all should be sent anew.
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
		if g.counts[i] = index.Count(name); name == noGroup { // the index does not know of what has no value in it
			g.counts[i] = max(g.counts[i], g.cells[i])
		}
		if g.counts[i] == 0 && g.cells[i] == 0 {
			empty++
		}
	}
	return renamed || !slices.Equal(was, g.counts), empty > gapGroups && empty > len(g.names)/2
}
