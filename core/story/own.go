package story

import (
	"fmt"
	"slices"
)

// mostOwn is how many stories can be added to those that a Player has.
const mostOwn = 100

// Own adds a story to those of the page, in place of one that was added before with the same id; the one that is told goes on as it is. A story
// of the page itself is not replaced: that is an error, and so are more than a hundred.
func (p *Player) Own(s *Story) error {
	if slices.ContainsFunc(p.stories, func(o *Story) bool { return o.ID == s.ID }) {
		return fmt.Errorf("the page has a story %q of its own: give the file another name", s.ID)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(p.added), func(o *Story) bool { return o.ID == s.ID })
	if len(kept) >= mostOwn {
		return fmt.Errorf("%d stories have been added, and more cannot be", mostOwn)
	}
	p.added = append(kept, s)
	return nil
}

// all are the stories in the order of the chooser.
func (p *Player) all() []*Story {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Concat(p.stories, p.added)
	Sort(all)
	return all
}
