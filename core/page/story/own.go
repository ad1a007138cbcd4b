package story

import (
	"fmt"
	"slices"
)

// mostOwn is how many stories a user can add.
const mostOwn = 100

// AddOwn adds a user's own story. It replaces one with the same id; if that one plays, it continues unchanged. It returns an error if the page has a story with
// the id, and if there are more than mostOwn stories.
func (p *Player) AddOwn(s *Story) error {
	if slices.ContainsFunc(p.stories(), func(o *Story) bool { return o.ID == s.ID }) {
		return fmt.Errorf("the page has a story %q of its own: give the file another name", s.ID)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(p.ownStories), func(o *Story) bool { return o.ID == s.ID })
	if len(kept) >= mostOwn {
		return fmt.Errorf("at most %d stories can be added", mostOwn)
	}
	p.ownStories = append(kept, s)
	return nil
}

// allStories returns the stories in the order of the chooser.
func (p *Player) allStories() []*Story {
	all := p.stories()
	p.mu.Lock()
	defer p.mu.Unlock()
	all = slices.Concat(all, p.ownStories)
	Sort(all)
	return all
}
