package view

// StoryState is the state of a story at the moment shown.
type StoryState struct {
	// ID is the story's id, Release the release in which it plays.
	ID      string `json:"id"`
	Release string `json:"era"`
	// Starting: the first step has not begun.
	Starting bool `json:"starting"`
	// Step is the step at the moment shown, from 0; Last is the last step that has begun.
	Step int `json:"step"`
	Last int `json:"last"`
	// Done: at the moment shown, the step's condition has been met. Ended: at the log's end it has, whatever moment is shown.
	Done  bool `json:"done"`
	Ended bool `json:"ended"`
	// Caption is the caption whose claim is true at the moment shown; nil for none.
	Caption *Saying `json:"caption"`
	// AwaitsPress: the step's caption stands, and what it speaks of begins when the user goes on.
	AwaitsPress bool `json:"awaitsPress"`
	// Waits: the step waits for the reader's action or answer, and time stands still until then. Asks is the request.
	Waits bool    `json:"waits"`
	Asks  *Saying `json:"asks,omitempty"`
	// Right is the number of the right answer, from 1; 0 until the step decides it.
	Right int `json:"right,omitempty"`
	// Hurry: the running step plays to its end as fast as it can, because the user has asked for that.
	Hurry bool `json:"hurry"`
	// Pace is the ratio of the log's time to real time at the log's end. It is 0 while time stands still.
	Pace float64 `json:"pace"`
	// Stands: time stands still until the user goes to the next step.
	Stands bool `json:"stands"`
	// Ride is the object to ride, once the requested step has ended; nil for none.
	Ride *StoryRide `json:"ride,omitempty"`
	// Level is the level of the reader, from 1; 0 is 1.
	Level int `json:"level,omitempty"`
	// Letters are the letters of objects, by key.
	Letters map[string]string `json:"letters,omitempty"`
	// Marks has the events of each step, so that other pages with the same log can show the same.
	Marks []StoryMark `json:"marks"`
	// Problem is the reason why the story cannot go on, in words.
	Problem string `json:"problem,omitempty"`
}

// Saying is a sentence in both languages of the page.
type Saying struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
	// ReadMillis is the time to read it.
	ReadMillis int `json:"readMillis"`
	// Numbers are the numbers that the page draws large beside it.
	Numbers []SaidNumber `json:"numbers,omitempty"`
}

// SaidNumber is a formatted number, and a text that says what it counts.
type SaidNumber struct {
	Text string `json:"is"`
	EN   string `json:"en"`
	ZH   string `json:"zh"`
}

// StoryRide names an object whose newest change the page rides, hop by hop.
type StoryRide struct {
	Key string `json:"key"`
	// Asked: the user has asked for the next step, so the page begins the ride at once.
	Asked bool `json:"asked"`
}

// StoryMark has the events of a step: the last one before its calls, the last one after them, and the one at which its condition was met, 0 until then.
type StoryMark struct {
	From  uint64 `json:"from"`
	Begin uint64 `json:"begin"`
	End   uint64 `json:"end"`
}
