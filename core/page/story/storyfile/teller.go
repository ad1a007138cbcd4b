package storyfile

import (
	"informerscope/core/page/command"
	"informerscope/core/page/story"
)

// Teller is a Player that accepts stories as files.
type Teller struct{ *story.Player }

var _ command.Teller = Teller{}

// Add reads a story's file and adds it, replacing an added one of the same name. It returns the story's id.
func (t Teller) Add(file string, content []byte) (id string, err error) {
	s, err := Read(file, content)
	if err != nil {
		return "", err
	}
	return s.ID, t.AddOwn(s)
}
