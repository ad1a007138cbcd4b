package event

// Subject is what the events of a kind are about: the part of a Fold that they change.
type Subject uint8

const (
	AboutNothing   Subject = iota // no event has such a kind
	AboutSelection                // which informers there are, and their factories
	AboutWorld                    // what is outside the informers
	AboutReflector                // and the informer as a whole
	AboutQueue
	AboutStore
	AboutListener
	AboutWork // the work queue, its workers and their writes
	AboutLane // other parts of an informer
)

// kinds has for each kind its name in files and its subject.
var kinds = [256]struct {
	name  string
	about Subject
}{
	KindInformerStarted:  {"InformerStarted", AboutReflector},
	KindInformerStopped:  {"InformerStopped", AboutReflector},
	KindInformerSynced:   {"InformerSynced", AboutReflector},
	KindReflectorStarted: {"ReflectorStarted", AboutReflector},
	KindReflectorStopped: {"ReflectorStopped", AboutReflector},
	KindListWatchStarted: {"ListWatchStarted", AboutReflector},
	KindRequestSent:      {"RequestSent", AboutReflector},
	KindRequestAnswered:  {"RequestAnswered", AboutReflector},
	KindWatchEvent:       {"WatchEvent", AboutReflector},
	KindWatchClosed:      {"WatchClosed", AboutReflector},
	KindEventDropped:     {"EventDropped", AboutReflector},
	KindReflectorRV:      {"ReflectorRV", AboutReflector},
	KindUnavailable:      {"Unavailable", AboutReflector},
	KindBackoff:          {"Backoff", AboutReflector},
	KindBackoffEnded:     {"BackoffEnded", AboutReflector},
	KindResyncDue:        {"ResyncDue", AboutReflector},
	KindReflectorError:   {"ReflectorError", AboutReflector},
	KindQueued:           {"Queued", AboutQueue},
	KindMerged:           {"Merged", AboutQueue},
	KindPopulated:        {"Populated", AboutQueue},
	KindPopped:           {"Popped", AboutQueue},
	KindProcessed:        {"Processed", AboutQueue},
	KindQueueSynced:      {"QueueSynced", AboutQueue},
	KindQueueClosed:      {"QueueClosed", AboutQueue},
	KindStoreAdded:       {"StoreAdded", AboutStore},
	KindStoreUpdated:     {"StoreUpdated", AboutStore},
	KindStoreDeleted:     {"StoreDeleted", AboutStore},
	KindStoreReplaced:    {"StoreReplaced", AboutStore},
	KindStoreBookmark:    {"StoreBookmark", AboutStore},
	KindIndexersAdded:    {"IndexersAdded", AboutStore},
	KindListenerAdded:    {"ListenerAdded", AboutListener},
	KindListenerRemoved:  {"ListenerRemoved", AboutListener},
	KindListenerStopped:  {"ListenerStopped", AboutListener},
	KindListenerSyncing:  {"ListenerSyncing", AboutListener},
	KindDistributed:      {"Distributed", AboutListener},
	KindAccepted:         {"Accepted", AboutListener},
	KindDelivered:        {"Delivered", AboutListener},
	KindHandling:         {"Handling", AboutListener},
	KindHandled:          {"Handled", AboutListener},
	KindListenerSynced:   {"ListenerSynced", AboutListener},

	KindWireRequest:          {"WireRequest", AboutWorld},
	KindWireResponse:         {"WireResponse", AboutWorld},
	KindWireBytes:            {"WireBytes", AboutWorld},
	KindWireFrame:            {"WireFrame", AboutWorld},
	KindWireAhead:            {"WireAhead", AboutWorld},
	KindWireDone:             {"WireDone", AboutWorld},
	KindSelected:             {"Selected", AboutSelection},
	KindCluster:              {"Cluster", AboutWorld},
	KindFault:                {"Fault", AboutWorld},
	KindHold:                 {"Hold", AboutWorld},
	KindReleased:             {"Released", AboutWorld},
	KindGateWaiting:          {"GateWaiting", AboutWorld},
	KindHandlerSpeed:         {"HandlerSpeed", AboutListener},
	KindTrouble:              {"Trouble", AboutWorld},
	KindNote:                 {"Note", AboutWorld},
	KindWorkAdded:            {"WorkAdded", AboutWork},
	KindWorkDeduplicated:     {"WorkDeduplicated", AboutWork},
	KindWorkMarkedDirty:      {"WorkMarkedDirty", AboutWork},
	KindWorkTaken:            {"WorkTaken", AboutWork},
	KindWorkDone:             {"WorkDone", AboutWork},
	KindWorkWaiting:          {"WorkWaiting", AboutWork},
	KindWorkWaitingSooner:    {"WorkWaitingSooner", AboutWork},
	KindWorkWaitingUnchanged: {"WorkWaitingUnchanged", AboutWork},
	KindWorkDue:              {"WorkDue", AboutWork},
	KindWorkRateLimited:      {"WorkRateLimited", AboutWork},
	KindWorkForgotten:        {"WorkForgotten", AboutWork},
	KindWorkShuttingDown:     {"WorkShuttingDown", AboutWork},
	KindWorkPaused:           {"WorkPaused", AboutWork},
	KindWorkResumed:          {"WorkResumed", AboutWork},
	KindReconciled:           {"Reconciled", AboutWork},
	KindListerRead:           {"ListerRead", AboutWork},
	KindClusterWrite:         {"ClusterWrite", AboutWork},
	KindClusterWritten:       {"ClusterWritten", AboutWork},
	KindWrites:               {"Writes", AboutWork},
	KindRestored:             {"Restored", AboutSelection},
	KindLane:                 {"Lane", AboutSelection},
	KindFactory:              {"Factory", AboutSelection},
	KindSampled:              {"Sampled", AboutLane},
	KindMutated:              {"Mutated", AboutLane},
	KindMet:                  {"Met", AboutLane},
	KindCrowd:                {"Crowd", AboutWorld},
	KindListerList:           {"ListerList", AboutWork},
	KindPredicateDropped:     {"PredicateDropped", AboutListener},
	KindAudit:                {"Audit", AboutWorld},
	KindAct:                  {"Act", AboutWorld},
	KindClusterObjects:       {"ClusterObjects", AboutWorld},
	KindClusterChange:        {"ClusterChange", AboutWorld},
}

var kindsByName = func() map[string]Kind {
	m := make(map[string]Kind)
	for k, info := range kinds {
		if info.name != "" {
			m[info.name] = Kind(k)
		}
	}
	return m
}()

// KindName returns the name of a kind in files and on the page, such as "Queued" or "WireFrame"; "" for an unknown kind.
func KindName(k Kind) string { return kinds[k].name }

// SubjectOf returns what the events of a kind are about; AboutNothing for an unknown kind.
func SubjectOf(k Kind) Subject { return kinds[k].about }

// ParseKind is the inverse of KindName.
func ParseKind(name string) (Kind, bool) {
	k, ok := kindsByName[name]
	return k, ok
}

// MembersOf returns the names of the Members that a kind has; ok reports whether the kind exists.
func MembersOf(k Kind) (names []string, ok bool) {
	return members[k], kinds[k].name != ""
}

func ParseOp(name string) Op {
	for op := OpNone; op <= OpBookmark; op++ {
		if op.String() == name {
			return op
		}
	}
	return OpNone
}

func ParseVerb(name string) Verb {
	for v := VerbNone; v <= VerbWatchList; v++ {
		if v.String() == name {
			return v
		}
	}
	return VerbNone
}
