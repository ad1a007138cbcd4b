package view

// Told is what a story tells of the moment shown.
type Told struct {
	// ID is the story's, Release that in which it is told.
	ID      string `json:"id"`
	Release string `json:"era"`
	// Starting: its first step has not begun.
	Starting bool `json:"starting"`
	// Step is that of the moment shown, from 0; Last is the last one that has begun.
	Step int `json:"step"`
	Last int `json:"last"`
	// Done: the step's condition had come by the moment shown; Ended: by now, wherever one looks.
	Done  bool `json:"done"`
	Ended bool `json:"ended"`
	// Caption is what is true of the moment and said of it; nil while nothing is said.
	Caption *Saying `json:"caption"`
	// Before is what was said before the step's condition came, if that is still true: who has not read it yet may.
	Before *Saying `json:"before,omitempty"`
	// Waits: the step waits for what it asks of the reader, an action or an answer, and time stands still until then. Asks is what.
	Waits bool    `json:"waits"`
	Asks  *Saying `json:"asks,omitempty"`
	// Right is the number of the answer that turned out to be right, from 1; 0 while it is open.
	Right int `json:"right,omitempty"`
	// Hurry is how the step that runs comes to its end: "" at its own pace, "fast" when the page was turned before, "skip" when twice.
	Hurry string `json:"hurry"`
	// Stands: time stands still until the page is turned.
	Stands bool `json:"stands"`
	// Ride is the object to ride, once the step that was turned to has come to its end; nil while there is none.
	Ride *StoryRide `json:"ride,omitempty"`
	// Marks are the events between which each step happened, so that others who have the log can be told the same.
	Marks []StoryMark `json:"marks"`
	// Problem is why the story cannot go on, in words.
	Problem string `json:"problem,omitempty"`
}

// Saying is a sentence in the languages of the page.
type Saying struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
	// ReadMillis is how long it takes to be read.
	ReadMillis int `json:"readMillis"`
	// Numbers are drawn large beside it.
	Numbers []SaidNumber `json:"numbers,omitempty"`
}

// SaidNumber is a number as it is written, and what it counts.
type SaidNumber struct {
	Is string `json:"is"`
	EN string `json:"en"`
	ZH string `json:"zh"`
}

// StoryRide is an object whose newest change is to be ridden, hop by hop.
type StoryRide struct {
	Key string `json:"key"`
	// Asked: a page was turned for it, so that it is not to be waited for.
	Asked bool `json:"asked"`
}

// StoryMark are the events of a step: the one before its calls, the one after them, and the one at which its condition had come, 0 while
// it has not.
type StoryMark struct {
	From  uint64 `json:"from"`
	Begin uint64 `json:"begin"`
	End   uint64 `json:"end"`
}
