package stories

import _ "embed"

// Packed is the stories as core/page/story.Load reads them.
//
//go:embed stories.json
var Packed []byte
