package trace

import (
	"strings"

	"informerscope/core/informer"
)

// subject is what the events of a kind are about: the part of a Fold that they change.
type subject uint8

const (
	aboutNothing   subject = iota // no event has such a kind
	aboutSelection                // which informers there are, and their factories
	aboutWorld                    // what is outside the informers
	aboutReflector                // and the informer as a whole
	aboutQueue
	aboutStore
	aboutListener
	aboutWork // the work queue, its workers and their writes
	aboutLane // other parts of an informer
)

// kinds has for each kind its name in files, its subject, and the members of an Event that have a meaning in it; the kinds' documentation says which. An event
// is one flat struct, because a union of types would have to be allocated, or copied, for each step of the informer. tools/eventmembers and tests check that
// no code sets or reads any other member.
var kinds = [256]struct {
	name    string
	about   subject
	members string
}{
	informer.KindInformerStarted:  {"InformerStarted", aboutReflector, "Text Release"},
	informer.KindInformerStopped:  {"InformerStopped", aboutReflector, ""},
	informer.KindInformerSynced:   {"InformerSynced", aboutReflector, ""},
	informer.KindReflectorStarted: {"ReflectorStarted", aboutReflector, "Text"},
	informer.KindReflectorStopped: {"ReflectorStopped", aboutReflector, ""},
	informer.KindListWatchStarted: {"ListWatchStarted", aboutReflector, "RV Text Flag"},
	informer.KindRequestSent:      {"RequestSent", aboutReflector, "Req Verb Options"},
	informer.KindRequestAnswered:  {"RequestAnswered", aboutReflector, "Req N RV Text Err"},
	informer.KindWatchEvent:       {"WatchEvent", aboutReflector, "Req Op Key RV Obj N Flag"},
	informer.KindWatchClosed:      {"WatchClosed", aboutReflector, "Req N Dur Text Err"},
	informer.KindEventDropped:     {"EventDropped", aboutReflector, "Req Op Text"},
	informer.KindReflectorRV:      {"ReflectorRV", aboutReflector, "RV"},
	informer.KindUnavailable:      {"Unavailable", aboutReflector, "Flag"},
	informer.KindBackoff:          {"Backoff", aboutReflector, "Dur Text Err"},
	informer.KindBackoffEnded:     {"BackoffEnded", aboutReflector, ""},
	informer.KindResyncDue:        {"ResyncDue", aboutReflector, ""},
	informer.KindReflectorError:   {"ReflectorError", aboutReflector, "Err"},
	informer.KindQueued:           {"Queued", aboutQueue, "Op Key RV Obj Flag N Items"},
	informer.KindMerged:           {"Merged", aboutQueue, "Key M Flag"},
	informer.KindPopulated:        {"Populated", aboutQueue, "N"},
	informer.KindPopped:           {"Popped", aboutQueue, "N Key Flag M Text"},
	informer.KindProcessed:        {"Processed", aboutQueue, "N Dur M Err"},
	informer.KindQueueSynced:      {"QueueSynced", aboutQueue, ""},
	informer.KindQueueClosed:      {"QueueClosed", aboutQueue, ""},
	informer.KindStoreAdded:       {"StoreAdded", aboutStore, "Op Key RV Obj Old Indexed StoreRV"},
	informer.KindStoreUpdated:     {"StoreUpdated", aboutStore, "Op Key RV Obj Old Indexed StoreRV"},
	informer.KindStoreDeleted:     {"StoreDeleted", aboutStore, "Key RV Obj Old StoreRV"},
	informer.KindStoreReplaced:    {"StoreReplaced", aboutStore, "Items N StoreRV"},
	informer.KindStoreBookmark:    {"StoreBookmark", aboutStore, "StoreRV"},
	informer.KindIndexersAdded:    {"IndexersAdded", aboutStore, "Items Text"},
	informer.KindListenerAdded:    {"ListenerAdded", aboutListener, "Listener Text Dur M Flag"},
	informer.KindListenerRemoved:  {"ListenerRemoved", aboutListener, "Listener"},
	informer.KindListenerStopped:  {"ListenerStopped", aboutListener, "Listener N"},
	informer.KindListenerSyncing:  {"ListenerSyncing", aboutListener, "Listener Flag"},
	informer.KindDistributed:      {"Distributed", aboutListener, "Op Key RV Flag N Text Obj Old Listener"},
	informer.KindAccepted:         {"Accepted", aboutListener, "Listener Op Key RV N M Flag"},
	informer.KindDelivered:        {"Delivered", aboutListener, "Listener Op Key RV N Flag"},
	informer.KindHandling:         {"Handling", aboutListener, "Listener Op Key RV Flag"},
	informer.KindHandled:          {"Handled", aboutListener, "Listener Op Key RV Dur Err"},
	informer.KindListenerSynced:   {"ListenerSynced", aboutListener, "Listener"},

	KindWireRequest:          {"WireRequest", aboutWorld, "Req Text"},
	KindWireResponse:         {"WireResponse", aboutWorld, "Req N Err"},
	KindWireBytes:            {"WireBytes", aboutWorld, "Req N"},
	KindWireFrame:            {"WireFrame", aboutWorld, "Req Op Key RV N Obj"},
	KindWireDone:             {"WireDone", aboutWorld, "Req Err"},
	KindSelected:             {"Selected", aboutSelection, "Text"},
	KindCluster:              {"Cluster", aboutWorld, "RV StoreRV N M"},
	KindFault:                {"Fault", aboutWorld, "Text Flag Dur N"},
	KindHold:                 {"Hold", aboutWorld, "N Listener Flag"},
	KindReleased:             {"Released", aboutWorld, "N Listener M"},
	KindGateWaiting:          {"GateWaiting", aboutWorld, "N Listener Flag"},
	KindHandlerSpeed:         {"HandlerSpeed", aboutListener, "Listener Dur"},
	KindTrouble:              {"Trouble", aboutWorld, "Text Key Indexed Err"},
	KindNote:                 {"Note", aboutWorld, "Text"},
	KindWorkAdded:            {"WorkAdded", aboutWork, "Key N Flag Dur Listener"},
	KindWorkDeduplicated:     {"WorkDeduplicated", aboutWork, "Key N Flag Dur Listener"},
	KindWorkMarkedDirty:      {"WorkMarkedDirty", aboutWork, "Key N Flag Dur Listener"},
	KindWorkTaken:            {"WorkTaken", aboutWork, "Key N Flag Dur Listener"},
	KindWorkDone:             {"WorkDone", aboutWork, "Key N Flag Dur Listener"},
	KindWorkWaiting:          {"WorkWaiting", aboutWork, "Key N Flag Dur Listener"},
	KindWorkWaitingSooner:    {"WorkWaitingSooner", aboutWork, "Key N Flag Dur Listener"},
	KindWorkWaitingUnchanged: {"WorkWaitingUnchanged", aboutWork, "Key N Flag Dur Listener"},
	KindWorkDue:              {"WorkDue", aboutWork, "Key N Flag Dur Listener"},
	KindWorkRateLimited:      {"WorkRateLimited", aboutWork, "Key N Flag Dur Listener"},
	KindWorkForgotten:        {"WorkForgotten", aboutWork, "Key N Flag Dur Listener"},
	KindWorkShuttingDown:     {"WorkShuttingDown", aboutWork, "Key N Flag Dur Listener"},
	KindReconciled:           {"Reconciled", aboutWork, "Key Listener Dur Err Text"},
	KindListerRead:           {"ListerRead", aboutWork, "Key RV StoreRV N Flag"},
	KindClusterWrite:         {"ClusterWrite", aboutWork, "Key Text RV Listener"},
	KindClusterWritten:       {"ClusterWritten", aboutWork, "Key Text Listener StoreRV RV Dur Err"},
	KindWrites:               {"Writes", aboutWork, "Flag N"},
	KindRestored:             {"Restored", aboutSelection, "Text Items StoreRV"},
	KindLane:                 {"Lane", aboutSelection, "Text"},
	KindFactory:              {"Factory", aboutSelection, "Text Key"},
	KindSampled:              {"Sampled", aboutLane, "Text"},
	KindMutated:              {"Mutated", aboutLane, "Key RV Listener Flag Obj Old Text Indexed"},
	KindMet:                  {"Met", aboutLane, "Key RV Listener Flag Text"},
	KindCrowd:                {"Crowd", aboutWorld, "Text"},
}

var kindsByName = func() map[string]informer.Kind {
	m := make(map[string]informer.Kind)
	for k, is := range kinds {
		if is.name != "" {
			m[is.name] = informer.Kind(k)
		}
	}
	return m
}()

// KindName returns the name of a kind in files and on the page, such as "Queued" or "WireFrame"; "" for an unknown kind.
func KindName(k informer.Kind) string { return kinds[k].name }

// ParseKind is the inverse of KindName.
func ParseKind(name string) (informer.Kind, bool) {
	k, ok := kindsByName[name]
	return k, ok
}

// Members returns the names of an Event's members that have a meaning in a kind; ok reports whether the kind exists.
func Members(k informer.Kind) (names []string, ok bool) {
	return strings.Fields(kinds[k].members), kinds[k].name != ""
}

func parseOp(name string) informer.Op {
	for op := informer.OpNone; op <= informer.OpBookmark; op++ {
		if op.String() == name {
			return op
		}
	}
	return informer.OpNone
}

func parseVerb(name string) informer.Verb {
	for v := informer.VerbNone; v <= informer.VerbWatchList; v++ {
		if v.String() == name {
			return v
		}
	}
	return informer.VerbNone
}
