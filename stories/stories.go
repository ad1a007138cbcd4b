// Package stories has the stories that the page tells, one YAML file each. docs/stories.md says what is in a file, and core/page/story tells
// them.
package stories

import "embed"

//go:generate go test ../core/page/story/storyfile -run TestThePagesStoriesAreThoseOfTheFiles -update

// Files are the stories.
//
//go:embed *.yaml
var Files embed.FS
