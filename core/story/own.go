package story

import (
	"fmt"
	"slices"
)

// mostOwn is how many stories can be added to a Player's own, at most.
const mostOwn = 100

// Own adds a story. It replaces an added story with the same id; a story that is playing continues unchanged. It returns an error for an id of the page's own
// stories, and for more than a hundred added stories.
func (p *Player) Own(s *Story) error {
	if slices.ContainsFunc(p.stories, func(o *Story) bool { return o.ID == s.ID }) {
		return fmt.Errorf("the page has a story %q of its own: give the file another name", s.ID)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(p.added), func(o *Story) bool { return o.ID == s.ID })
	if len(kept) >= mostOwn {
		return fmt.Errorf("at most %d stories can be added", mostOwn)
	}
	p.added = append(kept, s)
	return nil
}

// all returns the stories in the order of the chooser.
func (p *Player) all() []*Story {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := slices.Concat(p.stories, p.added)
	Sort(all)
	return all
}
