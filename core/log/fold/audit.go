package fold

import (
	"encoding/json"
	"strings"
	"time"

	"informerscope/core/words/event"
)

// Audit is a write to the cluster: whose, and what it did. It has nothing of the object but its name.
type Audit struct {
	Author      string `json:"author"`         // a short name: "kubectl", "deployment-controller"
	User        string `json:"user,omitempty"` // as authenticated, of a person only
	Verb        string `json:"verb"`           // create, update, patch, delete or deletecollection
	Resource    string `json:"resource"`       // "deployments.apps"
	Subresource string `json:"subresource,omitempty"`
	Words       string `json:"words,omitempty"` // what it did, after its author: "scaled default/web from 3 to 6"
}

// ReadAudit returns the write of a KindAudit; ok is false in a damaged log.
func ReadAudit(e *event.Entry) (a Audit, ok bool) {
	ok = json.Unmarshal([]byte(e.Audit().Write), &a) == nil
	a.Words = Shorten(a.Words)
	return a, ok
}

// Request names what was asked of the API server: "patch deployments.apps/scale default/web".
func (a *Audit) Request(key string) string {
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	return strings.TrimSpace(a.Verb + " " + resource + " " + key)
}

// PersonWrite is a person's write.
type PersonWrite struct {
	Audit
	At     time.Duration
	Key    string
	Status int // of the answer
}

// Refused reports whether the API server did not do what it was asked for.
func (w *PersonWrite) Refused() bool { return w.Status >= 300 }

// ReadPersonWrite returns a person's write that was made while the log was written; nil if the event is another.
func ReadPersonWrite(e *event.Entry) *PersonWrite {
	if e.Kind != event.KindAudit || !e.Audit().Mark {
		return nil
	}
	a, ok := ReadAudit(e)
	if !ok {
		return nil
	}
	return &PersonWrite{Audit: a, At: e.At, Key: e.Key(), Status: e.Audit().Status}
}

// Act is an action of the page's user.
type Act struct {
	Step string // as action.Step writes it
	At   time.Duration
}

// Act returns the user's newest action; nil for none. It must not be changed. A log that begins after its experiment does not have an earlier one.
func (f *Fold) Act() *Act { return f.world.act }

// PersonWrite returns the newest write of a person; nil for none. It must not be changed. A log that begins after its experiment does not have an earlier one.
func (f *Fold) PersonWrite() *PersonWrite { return f.world.person }
