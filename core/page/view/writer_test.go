package view_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/log/facts"
	"informerscope/core/words/event"
)

// TestAChangeNamesItsWriter writes objects with managedFields. The sentence names the manager that made the newest version, and none when the object does not
// say it.
func TestAChangeNamesItsWriter(t *testing.T) {
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, subresource string, second int64) metav1.ManagedFieldsEntry {
		at := metav1.Unix(second, 0)
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, Subresource: subresource, Time: &at}
	}
	type entries = []metav1.ManagedFieldsEntry
	for _, c := range []struct {
		name     string
		was, now entries
		change   func(*metav1.PartialObjectMetadata)
		op       event.Op
		by, part string
	}{
		{name: "created", now: entries{entry("kubectl-create", update, "", 5)}, by: "kubectl-create"},
		{name: "scaled", was: entries{entry("a", update, "", 5)}, now: entries{entry("a", update, "", 5), entry("kubectl", update, "scale", 5)},
			by: "kubectl", part: "scale"},
		{name: "written again", was: entries{entry("a", update, "", 5), entry("b", update, "", 7)},
			now: entries{entry("a", update, "", 9), entry("b", update, "", 7)}, by: "a"},
		{name: "taken by force", was: entries{entry("a", update, "", 5)}, now: entries{entry("b", apply, "", 7), entry("a", update, "", 5)}, by: "b"},
		{name: "two managers", now: entries{entry("a", update, "", 5), entry("b", update, "", 5)}},
		{name: "two managers, one later", now: entries{entry("a", update, "", 5), entry("b", update, "", 6)}, by: "b"},
		{name: "as before", was: entries{entry("a", update, "", 5)}, now: entries{entry("a", update, "", 5)}},
		{name: "a controller of the cluster", now: entries{entry("kube-controller-manager", update, "", 5)}},
		{name: "without managedFields"},
		{name: "being deleted", was: entries{entry("a", update, "", 5)}, now: entries{entry("b", update, "", 6)},
			change: func(o *metav1.PartialObjectMetadata) { o.DeletionTimestamp = &metav1.Time{} }},
		{name: "listed", now: entries{entry("a", update, "", 5)}, op: event.OpReplaced},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTale(t, "1.37")
			x.round("first list")
			x.ask(event.VerbList)
			x.list(1)
			x.syncInformer()
			x.pass(10 * time.Second)
			object := func(fields entries) *metav1.PartialObjectMetadata {
				return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", ManagedFields: fields}}
			}
			is := object(c.now)
			if c.change != nil {
				c.change(is)
			}
			stored := event.Stored{Kind: event.KindStoreAdded, Op: c.op, Key: "default/web", RV: "7", Obj: is, StoreRV: "7"}
			if c.was != nil {
				stored.Kind, stored.Old = event.KindStoreUpdated, object(c.was)
			}
			x.emit(stored.Event())
			// The cluster's controllers write what follows from it.
			x.emit(event.Stored{Kind: event.KindStoreUpdated, Key: "default/web", RV: "8", StoreRV: "8",
				Old: is, Obj: object(append(entries{entry("kube-controller-manager", update, "status", 9)}, c.now...))}.Event())
			want := facts.Sentence{ID: "wrote", Name: c.by, Op: c.part, Key: "default/web", RV: "7"}
			if got := x.v.State().Facts.Sentence; (c.by != "") != (got == want) {
				t.Errorf("it says %+v", got)
			}
			x.pass(4100 * time.Millisecond)
			if got := x.v.State().Facts.Sentence; got.ID == "wrote" {
				t.Error("it says so for too long")
			}
		})
	}
}
