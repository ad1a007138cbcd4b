package trace

import (
	"informerscope/core/informer"
)

var kindNames = [256]string{
	informer.KindInformerStarted:  "InformerStarted",
	informer.KindInformerStopped:  "InformerStopped",
	informer.KindInformerSynced:   "InformerSynced",
	informer.KindReflectorStarted: "ReflectorStarted",
	informer.KindReflectorStopped: "ReflectorStopped",
	informer.KindListWatchStarted: "ListWatchStarted",
	informer.KindRequestSent:      "RequestSent",
	informer.KindRequestAnswered:  "RequestAnswered",
	informer.KindWatchEvent:       "WatchEvent",
	informer.KindWatchClosed:      "WatchClosed",
	informer.KindEventDropped:     "EventDropped",
	informer.KindReflectorRV:      "ReflectorRV",
	informer.KindUnavailable:      "Unavailable",
	informer.KindBackoff:          "Backoff",
	informer.KindBackoffEnded:     "BackoffEnded",
	informer.KindResyncDue:        "ResyncDue",
	informer.KindReflectorError:   "ReflectorError",
	informer.KindQueued:           "Queued",
	informer.KindMerged:           "Merged",
	informer.KindPopulated:        "Populated",
	informer.KindPopped:           "Popped",
	informer.KindProcessed:        "Processed",
	informer.KindQueueSynced:      "QueueSynced",
	informer.KindQueueClosed:      "QueueClosed",
	informer.KindStoreAdded:       "StoreAdded",
	informer.KindStoreUpdated:     "StoreUpdated",
	informer.KindStoreDeleted:     "StoreDeleted",
	informer.KindStoreReplaced:    "StoreReplaced",
	informer.KindStoreBookmark:    "StoreBookmark",
	informer.KindIndexersAdded:    "IndexersAdded",
	informer.KindListenerAdded:    "ListenerAdded",
	informer.KindListenerRemoved:  "ListenerRemoved",
	informer.KindListenerStopped:  "ListenerStopped",
	informer.KindListenerSyncing:  "ListenerSyncing",
	informer.KindDistributed:      "Distributed",
	informer.KindAccepted:         "Accepted",
	informer.KindDelivered:        "Delivered",
	informer.KindHandling:         "Handling",
	informer.KindHandled:          "Handled",
	informer.KindListenerSynced:   "ListenerSynced",

	KindWireRequest:          "WireRequest",
	KindWireResponse:         "WireResponse",
	KindWireBytes:            "WireBytes",
	KindWireFrame:            "WireFrame",
	KindWireDone:             "WireDone",
	KindSelected:             "Selected",
	KindCluster:              "Cluster",
	KindFault:                "Fault",
	KindHold:                 "Hold",
	KindReleased:             "Released",
	KindGateWaiting:          "GateWaiting",
	KindHandlerSpeed:         "HandlerSpeed",
	KindTrouble:              "Trouble",
	KindNote:                 "Note",
	KindWorkAdded:            "WorkAdded",
	KindWorkDeduplicated:     "WorkDeduplicated",
	KindWorkMarkedDirty:      "WorkMarkedDirty",
	KindWorkTaken:            "WorkTaken",
	KindWorkDone:             "WorkDone",
	KindWorkWaiting:          "WorkWaiting",
	KindWorkWaitingSooner:    "WorkWaitingSooner",
	KindWorkWaitingUnchanged: "WorkWaitingUnchanged",
	KindWorkDue:              "WorkDue",
	KindWorkRateLimited:      "WorkRateLimited",
	KindWorkForgotten:        "WorkForgotten",
	KindWorkShuttingDown:     "WorkShuttingDown",
	KindReconciled:           "Reconciled",
	KindListerRead:           "ListerRead",
	KindClusterWrite:         "ClusterWrite",
	KindClusterWritten:       "ClusterWritten",
	KindWrites:               "Writes",
	KindRestored:             "Restored",
	KindLane:                 "Lane",
	KindFactory:              "Factory",
	KindSampled:              "Sampled",
	KindMutated:              "Mutated",
	KindMet:                  "Met",
	KindCrowd:                "Crowd",
}

var kindsByName = func() map[string]informer.Kind {
	m := make(map[string]informer.Kind)
	for k, name := range kindNames {
		if name != "" {
			m[name] = informer.Kind(k)
		}
	}
	return m
}()

// KindName returns the name of a kind in files and on the page, such as "Queued" or "WireFrame"; "" for an unknown kind.
func KindName(k informer.Kind) string { return kindNames[k] }

// ParseKind is the inverse of KindName.
func ParseKind(name string) (informer.Kind, bool) {
	k, ok := kindsByName[name]
	return k, ok
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
