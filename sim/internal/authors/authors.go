// Package authors says who wrote what: it makes the sentences of writes from kube-apiserver's audit events.
package authors

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditapi "k8s.io/apiserver/pkg/apis/audit"

	"informerscope/core/cluster/levers"
)

// maxScales is of how many objects the number of replicas is remembered.
const maxScales = 10_000

// Sentences makes writes of audit events. It remembers how many replicas objects had. Components are users that are no persons, beside those whose names
// begin with system:. It is safe for concurrent use.
type Sentences struct {
	Components []string

	mu     sync.Mutex
	scales map[string]int64 // replicas, by resource and key
}

// Write returns the write of an event; false for one that is none.
func (s *Sentences) Write(e *auditapi.Event) (levers.Write, bool) {
	if e == nil || e.Stage != auditapi.StageResponseComplete || e.ObjectRef == nil || e.ResponseStatus == nil {
		return levers.Write{}, false
	}
	if !slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, e.Verb) {
		return levers.Write{}, false
	}
	ref := e.ObjectRef
	w := levers.Write{Time: e.StageTimestamp.Time, User: e.User.Username, Agent: e.UserAgent, Author: s.author(e), Verb: e.Verb, Path: e.RequestURI,
		Status: int(e.ResponseStatus.Code), Resource: schema.GroupResource{Group: ref.APIGroup, Resource: ref.Resource}.String(),
		Subresource: ref.Subresource, Namespace: ref.Namespace, Name: ref.Name}
	if e.ImpersonatedUser != nil {
		w.User = e.ImpersonatedUser.Username
	}
	w.Person = !strings.HasPrefix(w.User, "system:") && !slices.Contains(s.Components, w.User)
	answer := document(e.ResponseObject)
	if answer.Get("kind").String() != "Status" {
		w.Version = answer.Get("metadata.resourceVersion").String()
		if w.Name == "" {
			w.Name = answer.Get("metadata.name").String() // of a generated name
		}
	}
	w.Words = s.words(w, document(e.RequestObject), answer)
	if w.Status >= http.StatusBadRequest {
		w.Words = fmt.Sprintf("was refused: %s (%d %s)", w.Words, w.Status, http.StatusText(w.Status))
	}
	return w, true
}

// document reads what an event has of an object. What is no JSON is an empty document.
func document(object *runtime.Unknown) gjson.Result {
	if object == nil || !gjson.ValidBytes(object.Raw) {
		return gjson.Result{}
	}
	return gjson.ParseBytes(object.Raw)
}

// author is a short name of who wrote: a controller's, a component's, or that of the program.
func (s *Sentences) author(e *auditapi.Event) string {
	user := e.User.Username
	if slices.Contains(s.Components, user) {
		return user
	}
	if name, ok := strings.CutPrefix(user, "system:serviceaccount:kube-system:"); ok {
		return name
	}
	if name, ok := strings.CutPrefix(user, "system:"); ok && !strings.Contains(name, ":") {
		return name
	}
	program, _, _ := strings.Cut(e.UserAgent, "/")
	if program, _, _ = strings.Cut(program, " "); program == "" {
		return user
	}
	return program
}

// subject names the object of a write: "default/web", "the node n1", "pods in default".
func subject(w levers.Write) string {
	resource, _, _ := strings.Cut(w.Resource, ".")
	kind := strings.TrimSuffix(resource, "s")
	switch {
	case w.Name == "" && w.Namespace == "":
		return resource
	case w.Name == "":
		return resource + " in " + w.Namespace
	case w.Namespace == "":
		return kind + " " + w.Name
	}
	return kind + " " + w.Namespace + "/" + w.Name
}

// words says what a write did, after its author.
func (s *Sentences) words(w levers.Write, request, answer gjson.Result) string {
	name := subject(w)
	switch {
	case w.Subresource == "eviction":
		return "evicted " + name
	case w.Subresource == "binding":
		return fmt.Sprintf("put %s on %s", name, request.Get("target.name").String())
	case w.Subresource == "scale" || w.Subresource == "" && answer.Get("spec.replicas").Exists():
		if text, ok := s.scaled(w, answer); ok {
			return text
		}
	case w.Subresource != "":
		return fmt.Sprintf("wrote the %s of %s", w.Subresource, name)
	}
	switch w.Verb {
	case "create":
		return "created " + name
	case "delete":
		return "deleted " + name
	case "deletecollection":
		return "deleted all " + name
	case "update":
		return "updated " + name
	}
	switch metadata := request.Get("metadata"); {
	case len(request.Map()) != 1 || len(metadata.Map()) != 1:
	case metadata.Get("labels").Exists():
		return "labelled " + name
	case metadata.Get("annotations").Exists():
		return "annotated " + name
	}
	return "patched " + name
}

// scaled remembers the replicas that a write leaves, and returns a sentence if it changed them.
func (s *Sentences) scaled(w levers.Write, answer gjson.Result) (string, bool) {
	name := w.Namespace + "/" + w.Name
	replicas := answer.Get("spec.replicas")
	if w.Status >= http.StatusBadRequest || !replicas.Exists() {
		return "scaled " + name, w.Subresource == "scale"
	}
	key := w.Resource + " " + name
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scales == nil || len(s.scales) >= maxScales {
		s.scales = map[string]int64{}
	}
	before, known := s.scales[key]
	if s.scales[key] = replicas.Int(); w.Verb == "delete" {
		delete(s.scales, key)
	}
	switch {
	case w.Verb != "update" && w.Verb != "patch" && w.Subresource == "":
		return "", false
	case known && before != replicas.Int():
		return fmt.Sprintf("scaled %s from %d to %d", name, before, replicas.Int()), true
	}
	return fmt.Sprintf("scaled %s to %d", name, replicas.Int()), w.Subresource == "scale"
}
