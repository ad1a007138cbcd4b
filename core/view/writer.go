package view

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/facts"
	"informerscope/core/fold"
)

// tellWriter is how long a sentence says who wrote an object.
const tellWriter = 4 * time.Second

// clusterWriters are the field managers of the cluster's own programs. They write all the time, and often because somebody else wrote before.
var clusterWriters = map[string]bool{
	"kube-apiserver": true, "kube-controller-manager": true, "kube-scheduler": true, "kubelet": true, "cloud-controller-manager": true,
}

// writerSentence returns the sentence about the newest change that a program outside of the cluster wrote; ok is false if there was none just now.
func (x *factInputs) writerSentence(recent *fold.Recent) (said facts.Sentence, ok bool) {
	if x.state.Source.Kind != "live" {
		return said, false
	}
	for i := 0; ; i++ {
		c := recent.Arrivals.Newest(i)
		if c.Obj == nil || !x.isRecent(c.At, tellWriter) {
			return said, false
		}
		by, known := writerOf(c.Old, c.Obj)
		if known && !clusterWriters[by.Manager] {
			return facts.Sentence{ID: "wrote", Name: by.Manager, Op: by.Subresource, Key: c.Key, RV: c.RV}, true
		}
	}
}

// writerOf returns the entry of the field manager that made an object of its version before, or created it if old is nil. An object does not say it of every
// write: known is false without managedFields, for a deletion, and if several managers wrote between the two versions and none is the later one.
func writerOf(old, obj any) (by metav1.ManagedFieldsEntry, known bool) {
	type managed interface {
		GetManagedFields() []metav1.ManagedFieldsEntry
		GetDeletionTimestamp() *metav1.Time
	}
	is, ok := obj.(managed)
	if !ok || is.GetDeletionTimestamp() != nil {
		return by, false
	}
	was := map[metav1.ManagedFieldsEntry]metav1.ManagedFieldsEntry{}
	identity := func(e metav1.ManagedFieldsEntry) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: e.Manager, Operation: e.Operation, Subresource: e.Subresource}
	}
	if o, ok := old.(managed); ok {
		for _, e := range o.GetManagedFields() {
			was[identity(e)] = e
		}
	}
	for _, e := range is.GetManagedFields() {
		if e.Time == nil || reflect.DeepEqual(was[identity(e)], e) {
			continue
		}
		switch {
		case by.Time == nil || by.Time.Before(e.Time):
			by, known = e, true
		case by.Time.Equal(e.Time):
			known = false
		}
	}
	return by, known
}
