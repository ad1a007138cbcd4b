package facts

import (
	"informerscope/core/words/releases"
)

// Facts are what is true of a lane at the moment shown, beside its State: what the page says and is no plain member of State. The viewer computes them from
// the Fold and the moment alone (see core/page/view). So they do not depend on how the viewer got to the moment: live, by steps, by a jump, or on a recording.
type Facts struct {
	// Sure: an update would arrive if there were one, so what agrees is known to agree, and the newest version is known to be current.
	Sure bool `json:"sure"`
	// Trouble is what is wrong between the informer and its cluster.
	Trouble TroubleFacts `json:"trouble"`
	// Deltas is how many deltas of objects the queue holds; for a DeltaFIFO, those of all its keys.
	Deltas int `json:"deltas"`
	// Ahead is how many frames of an open WatchList the client has read and decoded that the Reflector has not read: to the API server they are delivered.
	Ahead int `json:"ahead"`
	// Focus are the stations to look at: those with a problem now or within the last three seconds.
	Focus []string `json:"focus"`
	// LastRun is the controller's reconcile that began last, with the one cause, read and write that deserve a look; nil without one, or if the log names no
	// causes of keys.
	LastRun *Reconcile `json:"lastRun"`
	// Features are what the release does that others do not.
	Features releases.Features `json:"features"`
	// Sentence is what a person wrote just now.
	Sentence Sentence `json:"sentence"`
	// Headline is what the picture is about.
	Headline Sentence `json:"headline"`
}

// Lens is what is wrong with a controller's reconciles at the moment.
type Lens struct {
	// Loop is the key that its own writes wake most often, and AMinute how often they did so in the last minute. It is empty for none.
	Loop    string
	AMinute int
	// Twice is a key that created Duplicate within the last minute although it had created Earlier.
	Twice     string
	Duplicate string
	Earlier   string
	// Starved is the key that has waited longest, if at least Overtaken keys that came later were taken before it.
	Starved   string
	Overtaken int
}

// TroubleFacts describe what is wrong between the informer and its cluster; the zero value: nothing.
type TroubleFacts struct {
	// Cause is the trouble's cause in one word (see docs/dev/protocol.md), or that of the error behind the Reflector's backoff. It is empty when all is well,
	// and for an unknown error.
	Cause string `json:"cause,omitempty"`
	// Down: the cluster does not answer.
	Down bool `json:"down"`
	// Answer is what came instead of an answer: "unreached" when the cause lies before the cluster, "none" when nothing answers, the cause itself when
	// the cluster or its proxy refused. It is empty while nothing is wrong.
	Answer string `json:"answer,omitempty"`
}

// Sentences are the ids that the Sentence of Facts can have, beside the empty one.
var Sentences = []string{"act", "person", "personRequest", "personRefused"}

// Headlines are the ids that a headline can have, beside the empty one.
var Headlines = []string{
	"held.store", "held.pop", "held.popKeys", "held.deliver", "held.take",
	"gap", "gapPlain", "gapFirst", "gapFirstPlain", "refused", "refusedFirst", "stopped", "halfOpen",
	"slow", "call", "keys", "retry", "list", "relist", "relistPlain", "start", "relisted", "relistedPlain", "filling", "unseen", "flow", "coming", "idle",
}

// Sentence is a caption about a moment: which one, and its values. The page has the words.
type Sentence struct {
	// ID is one of Sentences; empty when State's trouble is the caption.
	ID string `json:"id"`
	// N and M are counts; of a refused write N is the status. Name is a listener, or who wrote. Op is the type of a delta, a subresource, or what a person's
	// write did. Key is an object, Other the name of a second one, RV a resourceVersion, Why an error or a reason.
	N     int    `json:"n,omitempty"`
	M     int    `json:"m,omitempty"`
	Name  string `json:"name,omitempty"`
	Key   string `json:"key,omitempty"`
	Other string `json:"other,omitempty"`
	RV    string `json:"rv,omitempty"`
	Op    string `json:"op,omitempty"`
	Why   string `json:"why,omitempty"`
	// EN and ZH are the words of a sentence about an action of the user.
	EN string `json:"en,omitempty"`
	ZH string `json:"zh,omitempty"`
	// Until is when the wait ends, Since when what it describes began, in ms of the log.
	Until float64 `json:"until,omitempty"`
	Since float64 `json:"since,omitempty"`
}
