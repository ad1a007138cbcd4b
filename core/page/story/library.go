package story

import (
	"cmp"
	"slices"
)

// Sort sorts stories by their place in the chooser: by group, order and id.
func Sort(stories []*Story) {
	place := func(s *Story) int { return slices.IndexFunc(Groups, func(g Group) bool { return g.ID == s.Group }) }
	slices.SortStableFunc(stories, func(a, b *Story) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
}
