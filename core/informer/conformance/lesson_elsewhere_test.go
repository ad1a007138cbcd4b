package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/core/informer/conformance/play"
)

// testElsewhere takes the label of an object off and puts it on again. Behind a label selector, as behind a FilteringResourceEventHandler, that is OnDelete
// and OnAdd of an object that exists. An object that is deleted while it has no label is deleted without a call. Without a selector and a filter, each of
// those is what it is.
func testElsewhere(t *testing.T) {
	runBoth(t, `
the label goes: selector [OnDelete], filter [OnDelete], neither [OnUpdate]
1 object exists; the stores have 0 and 1
the label is back: selector [OnAdd], filter [OnAdd], neither [OnUpdate]
it goes again: selector [OnDelete], filter [OnDelete], neither [OnUpdate]
the object is deleted: selector [], filter [], neither [OnDelete]
0 objects exist; the stores have 0 and 0`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		lib := theirs()
		if mine {
			lib = ours(play.E137)
		}
		var calls [3][]string
		hasLabel := func(o any) bool { return o.(*object).Labels["app"] == "web" }
		selected, all := lib.Shared(play.Options{Source: c}), lib.Shared(play.Options{Source: c})
		for n, lane := range []struct {
			informer play.Informer
			filter   func(any) bool
		}{{selected, nil}, {all, hasLabel}, {all, nil}} {
			note := teller(func(method string, _ bool) { calls[n] = append(calls[n], method) })
			if _, err := lane.informer.AddHandler(note, lane.filter, nil); err != nil {
				t.Fatal(err)
			}
		}
		run(t, selected)
		sleepAndSettle(time.Second)
		run(t, all)
		sleepAndSettle(time.Second)
		calls = [3][]string{}
		tell := func(what string) {
			sleepAndSettle(time.Second)
			var words [3]string
			for n := range calls {
				words[n] = fmt.Sprint("[", strings.Join(calls[n], " "), "]")
			}
			say("%s: selector %s, filter %s, neither %s", what, words[0], words[1], words[2])
			calls = [3][]string{}
		}
		// set changes the label. Like an API server, it tells a WATCH with the selector of an object that has come or gone.
		version := 1
		set := func(label string) {
			before, after := c.objects["a"], c.objects["a"].DeepCopy()
			version++
			after.ResourceVersion, after.Labels = fmt.Sprint(version), map[string]string{"app": label}
			c.objects["a"] = after
			if hasLabel(after) {
				c.streams[0].Add(after.DeepCopy())
			} else {
				last := before.DeepCopy()
				last.ResourceVersion = after.ResourceVersion
				c.streams[0].Delete(last)
			}
			c.streams[1].Modify(after.DeepCopy())
		}
		set("other")
		tell("the label goes")
		say("%d object exists; the stores have %d and %d", len(c.objects), len(selected.Keys()), len(all.Keys()))
		set("web")
		tell("the label is back")
		set("other")
		tell("it goes again")
		c.streams[1].Delete(c.objects["a"].DeepCopy())
		delete(c.objects, "a")
		tell("the object is deleted")
		say("%d objects exist; the stores have %d and %d", len(c.objects), len(selected.Keys()), len(all.Keys()))
	})
}
