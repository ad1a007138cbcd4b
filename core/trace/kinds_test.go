package trace

import (
	"reflect"
	"testing"

	"informerscope/core/informer"
)

// TestEveryKindHasASubjectAndMembers: each kind has a subject, and the table names only members that an Event has.
func TestEveryKindHasASubjectAndMembers(t *testing.T) {
	event := reflect.TypeFor[informer.Event]()
	for k, is := range kinds {
		name := is.name
		members, ok := Members(informer.Kind(k))
		if ok != (is.about != aboutNothing) {
			t.Errorf("kind %d, %q, has the subject %d", k, name, is.about)
		}
		seen := map[string]bool{"Kind": true}
		for _, m := range members {
			if _, is := event.FieldByName(m); !is || seen[m] {
				t.Errorf("%s has %s, which is none, or twice", name, m)
			}
			seen[m] = true
		}
	}
}
