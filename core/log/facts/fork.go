package facts

// Fork is how the two lanes of a fork differ at the position of a view. It depends only on the log up to there.
type Fork struct {
	// Acts are the actions that only the second lane knows, as in a link. AtMillis is when the first of them happens, in ms of the log.
	Acts     string  `json:"acts"`
	AtMillis float64 `json:"atMillis"`
	// Parting is the first event that only one lane has; null while there is none. The actions themselves are none. Instead is the first one that only the
	// other lane has at that time; null if there is none.
	Parting *Parting `json:"parting"`
	Instead *Parting `json:"instead"`
	// Stores compares the objects of both stores, and Handlers what each handler was called with since the fork.
	Stores   StoreDifference `json:"stores"`
	Handlers []HandlerCalls  `json:"handlers"`
}

// Parting is an event that only one lane of a fork has.
type Parting struct {
	Seq      uint64  `json:"seq"`
	AtMillis float64 `json:"atMillis"`
	Lane     int     `json:"lane"`
	Kind     string  `json:"kind"`
	Op       string  `json:"op,omitempty"`
	Key      string  `json:"key,omitempty"`
	RV       string  `json:"rv,omitempty"`
	// Handler is the name of the listener that the event is about, if it is about one.
	Handler string `json:"handler,omitempty"`
}

// StoreDifference is how the stores of two lanes differ.
type StoreDifference struct {
	Counts [2]int `json:"counts"` // objects in each
	// Only counts the keys that only that store has; OnlyKeys are the first ones in order, at most 24.
	Only     [2]int      `json:"only"`
	OnlyKeys [2][]string `json:"onlyKeys"`
	// Other counts the keys that both have, in different versions; OtherKeys are the first ones in order, at most 24.
	Other     int      `json:"other"`
	OtherKeys []string `json:"otherKeys"`
	// Map has a character for each key of either store, in order: = both have the same version, ~ different ones, < only the first has it, > only the second.
	// It is empty for more than 1200 keys.
	Map string `json:"map"`
}

// HandlerCalls is what one handler was called with in each lane of a fork.
type HandlerCalls struct {
	Listener int32    `json:"listener"`
	Name     string   `json:"name"`
	Calls    [2]Calls `json:"calls"`
	Differ   bool     `json:"differ"`
}

// Calls counts the calls of a handler.
type Calls struct {
	Added   int `json:"added"`
	Updated int `json:"updated"`
	Deleted int `json:"deleted"`
}
