package view

import (
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

const (
	// tellWriter is how long a sentence says who wrote an object.
	tellWriter = 4 * time.Second
	// crowdedTime is the time within which MaxArrivals changes are too many to name one's writer.
	crowdedTime = 250 * time.Millisecond
)

// clusterWriters are the field managers of the cluster's own programs. They write all the time, and often because somebody else wrote before.
var clusterWriters = map[string]bool{
	"kube-apiserver": true, "kube-controller-manager": true, "kube-scheduler": true, "kubelet": true, "cloud-controller-manager": true,
}

// personSentence returns the sentence about what a person wrote, or was not allowed to write, just now.
func (x *factInputs) personSentence() (said facts.Sentence, ok bool) {
	w := x.PersonWrite()
	if w == nil || !x.isRecent(w.At, tellWriter) {
		return said, false
	}
	switch {
	case w.Refused():
		return facts.Sentence{ID: "personRefused", Name: w.Author, Op: w.Request(w.Key), N: w.Status}, true
	case w.Words == "":
		return facts.Sentence{ID: "personRequest", Name: w.Author, Op: w.Request(w.Key)}, true
	}
	return facts.Sentence{ID: "person", Name: w.Author, Op: w.Words}, true
}

// writerSentence returns the sentence about the newest change that a program outside of the cluster wrote; ok is false if there was none just now.
func (x *factInputs) writerSentence(recent *fold.Recent) (said facts.Sentence, ok bool) {
	if a := recent.Arrivals.Newest(fold.MaxArrivals - 1); a != nil && x.isRecent(a.At, crowdedTime) {
		return said, false
	}
	for i := range fold.MaxArrivals {
		a := recent.Arrivals.Newest(i)
		if a == nil || !x.isRecent(a.At, tellWriter) {
			break
		}
		if by, isKnown := a.Writer(); isKnown && !clusterWriters[by.Manager] {
			return facts.Sentence{ID: "wrote", Name: by.Manager, Op: by.Subresource, Key: a.Key, RV: a.RV}, true
		}
	}
	return said, false
}
