package selection

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/client/restwatch"
	"informerscope/core/words/event"
)

// Scopes remember which resources of live clusters have namespaces, from discovery. The zero value is ready to use. Its methods are safe for concurrent use.
type Scopes struct {
	mu         sync.Mutex
	namespaced map[scopeKey]bool
}

// scopeKey identifies a resource of a context.
type scopeKey struct {
	context  string
	resource schema.GroupResource
}

// Note remembers what a survey found in the cluster of a context.
func (s *Scopes) Note(context string, found []restwatch.Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.namespaced == nil {
		s.namespaced = map[scopeKey]bool{}
	}
	for _, r := range found {
		if r.Resource != "" {
			s.namespaced[scopeKey{context, r.GVR().GroupResource()}] = r.Namespaced
		}
	}
}

// Complete sets in sel whether its resource has namespaces, if that is known. It reports whether Resolve has nothing to add: all versions are known, and the
// scope where it matters.
func (s *Scopes) Complete(sel *event.Selection) bool {
	unknown := slices.ContainsFunc(sel.Resources, func(t event.Target) bool { return t.Kind == "" })
	switch {
	case sel.Version == "" || unknown:
		return false
	case sel.Namespace == "":
		return true
	case builtinVersions[sel.Group] != "" || sel.Source != "live":
		return true // Change.Apply has set it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	namespaced, ok := s.namespaced[scopeKey{sel.Context, schema.GroupResource{Group: sel.Group, Resource: sel.Resource}}]
	sel.ClusterScoped = ok && !namespaced
	return ok
}
