package conformance

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer/conformance/play"
)

// teller is a handler that says which of its methods were called, and whether the object had a deletionTimestamp.
type teller func(method string, deleting bool)

func (f teller) OnAdd(o any, _ bool) { f("OnAdd", o.(metav1.Object).GetDeletionTimestamp() != nil) }
func (f teller) OnUpdate(_, o any)   { f("OnUpdate", o.(metav1.Object).GetDeletionTimestamp() != nil) }
func (f teller) OnDelete(o any)      { f("OnDelete", o.(metav1.Object).GetDeletionTimestamp() != nil) }

// testTerminating checks that an object that is being deleted comes to OnUpdate and stays in the store. OnDelete follows the DELETED event, however late.
func testTerminating(t *testing.T) {
	runBoth(t, `
OnAdd, deleting false
OnUpdate, deleting true
an hour later: 1 object in the store
OnDelete, deleting true
gone: 0 objects in the store`, func(t *testing.T, mine bool, say func(string, ...any)) {
		c := newSmall("a")
		lib := theirs()
		if mine {
			lib = ours(play.E137)
		}
		i := lib.Shared(play.Options{Source: c})
		if _, err := i.AddHandler(teller(func(method string, deleting bool) { say("%s, deleting %v", method, deleting) }), nil, nil); err != nil {
			t.Fatal(err)
		}
		run(t, i)
		sleepAndSettle(time.Second)
		o := c.objects["a"].DeepCopy()
		o.ResourceVersion, o.DeletionTimestamp, o.Finalizers = "2", &metav1.Time{Time: time.Now()}, []string{"example.com/hold"}
		c.streams[0].Modify(o.DeepCopy())
		sleepAndSettle(time.Hour)
		say("an hour later: %d object in the store", len(i.Keys()))
		o.ResourceVersion = "3"
		c.streams[0].Delete(o.DeepCopy())
		sleepAndSettle(time.Second)
		say("gone: %d objects in the store", len(i.Keys()))
	})
}
