package view

import (
	"strings"
	"time"

	"informerscope/core/lab/action"
	"informerscope/core/log/facts"
)

// tellPerson is how long the facts say what a person wrote.
const tellPerson = 4 * time.Second

// tellAct is how long the facts say what the user of the page has done.
const tellAct = 4 * time.Second

// actSentence returns what the user has done just now. A hold needs no sentence of its own: the headline names it, and counts what waits.
func (x *factInputs) actSentence() facts.Sentence {
	act := x.Act()
	if act == nil || !x.isRecent(act.At, tellAct) || strings.HasPrefix(act.Step, "hold") {
		return facts.Sentence{}
	}
	en, zh := action.Words(act.Step, func(listener int32) string {
		if l := x.listener(listener); l != nil {
			return l.Name
		}
		return ""
	})
	if en == "" {
		return facts.Sentence{}
	}
	return facts.Sentence{ID: "act", EN: en, ZH: zh}
}

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
