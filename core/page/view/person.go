package view

import (
	"time"

	"informerscope/core/log/facts"
)

// tellPerson is how long the facts say what a person wrote.
const tellPerson = 4 * time.Second

// personSentence returns what a person wrote, or was not allowed to write, just now; nothing while a stage is held or there is no watch.
func (x *factInputs) personSentence() facts.Sentence {
	w := x.PersonWrite()
	switch flows := len(x.state.Holds) == 0 && (x.state.Reflector.Phase == "watching" || x.hidesRequests()); {
	case w == nil || !flows || !x.isRecent(w.At, tellPerson):
		return facts.Sentence{}
	case w.Refused():
		return facts.Sentence{ID: "personRefused", Name: w.Author, Op: w.Request(w.Key), N: w.Status}
	case w.Words == "":
		return facts.Sentence{ID: "personRequest", Name: w.Author, Op: w.Request(w.Key)}
	}
	return facts.Sentence{ID: "person", Name: w.Author, Op: w.Words}
}
