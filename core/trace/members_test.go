package trace

import (
	"reflect"
	"testing"

	"informerscope/core/informer"
)

// TestEveryKindHasItsMembers: the table has all kinds, and names only members that an Event has.
func TestEveryKindHasItsMembers(t *testing.T) {
	event := reflect.TypeFor[informer.Event]()
	for k, name := range kindNames {
		members, ok := Members(informer.Kind(k))
		if ok != (name != "") {
			t.Errorf("kind %d, %q: in the table %v", k, name, ok)
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
