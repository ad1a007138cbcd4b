package view

// Told is the state of a story at the moment shown.
type Told struct {
	// ID is the story's, Release the release in which it plays.
	ID      string `json:"id"`
	Release string `json:"era"`
	// Starting: its first step has not begun.
	Starting bool `json:"starting"`
	// Step is the step at the moment shown, from 0; Last is the last one that has begun.
	Step int `json:"step"`
	Last int `json:"last"`
	// Done: the step's condition was met by the moment shown. Ended: it is met by now, whatever moment is shown.
	Done  bool `json:"done"`
	Ended bool `json:"ended"`
	// Caption is the caption for the moment, which is true of it; nil for none.
	Caption *Saying `json:"caption"`
	// Before is the caption from before the step's condition was met, if it is still true, for readers who have not finished it.
	Before *Saying `json:"before,omitempty"`
	// Waits: the step waits for the reader's action or answer, and time stands still until then. Asks is the request.
	Waits bool    `json:"waits"`
	Asks  *Saying `json:"asks,omitempty"`
	// Right is the number of the right answer, from 1; 0 while it is open.
	Right int `json:"right,omitempty"`
	// Hurry is how the running step comes to its end: "" at its own pace, "fast" after the user has asked for the next step once, "skip" after twice.
	Hurry string `json:"hurry"`
	// Stands: time stands still until the user goes to the next step.
	Stands bool `json:"stands"`
	// Ride is the object to ride, once the requested step has ended; nil for none.
	Ride *StoryRide `json:"ride,omitempty"`
	// Marks are the events between which each step happened, so that other pages with the log can show the same.
	Marks []StoryMark `json:"marks"`
	// Problem is why the story cannot go on, in words.
	Problem string `json:"problem,omitempty"`
}

// Saying is a sentence in the languages of the page.
type Saying struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
	// ReadMillis is the time to read it.
	ReadMillis int `json:"readMillis"`
	// Numbers are drawn large beside it.
	Numbers []SaidNumber `json:"numbers,omitempty"`
}

// SaidNumber is a formatted number, and what it counts.
type SaidNumber struct {
	Is string `json:"is"`
	EN string `json:"en"`
	ZH string `json:"zh"`
}

// StoryRide is an object whose newest change is to be ridden, hop by hop.
type StoryRide struct {
	Key string `json:"key"`
	// Asked: the user asked for the next step because of it, so the page need not wait.
	Asked bool `json:"asked"`
}

// StoryMark has the events of a step: the one before its calls, the one after them, and the one at which its condition was met, 0 until then.
type StoryMark struct {
	From  uint64 `json:"from"`
	Begin uint64 `json:"begin"`
	End   uint64 `json:"end"`
}
