package trace

import (
	"strings"

	"informerscope/core/informer"
)

// carries lists, for each kind, the members of an Event that have a meaning in it; the kinds' documentation says which. An event is one flat struct, because
// a union of types would have to be allocated, or copied, for each step of the informer. tools/eventmembers and tests check that no code sets or reads any
// other member.
var carries = map[informer.Kind]string{
	informer.KindInformerStarted:  "Text Release",
	informer.KindInformerStopped:  "",
	informer.KindInformerSynced:   "",
	informer.KindReflectorStarted: "Text",
	informer.KindReflectorStopped: "",
	informer.KindListWatchStarted: "RV Text Flag",
	informer.KindRequestSent:      "Req Verb Options",
	informer.KindRequestAnswered:  "Req N RV Text Err",
	informer.KindWatchEvent:       "Req Op Key RV Obj N Flag",
	informer.KindWatchClosed:      "Req N Dur Text Err",
	informer.KindEventDropped:     "Req Op Text",
	informer.KindReflectorRV:      "RV",
	informer.KindUnavailable:      "Flag",
	informer.KindBackoff:          "Dur Text Err",
	informer.KindBackoffEnded:     "",
	informer.KindResyncDue:        "",
	informer.KindReflectorError:   "Err",
	informer.KindQueued:           "Op Key RV Obj Flag N Items",
	informer.KindMerged:           "Key M Flag",
	informer.KindPopulated:        "N",
	informer.KindPopped:           "N Key Flag M Text",
	informer.KindProcessed:        "N Dur M Err",
	informer.KindQueueSynced:      "",
	informer.KindQueueClosed:      "",
	informer.KindStoreAdded:       "Op Key RV Obj Old Indexed StoreRV",
	informer.KindStoreUpdated:     "Op Key RV Obj Old Indexed StoreRV",
	informer.KindStoreDeleted:     "Key RV Obj Old StoreRV",
	informer.KindStoreReplaced:    "Items N StoreRV",
	informer.KindStoreBookmark:    "StoreRV",
	informer.KindIndexersAdded:    "Items Text",
	informer.KindListenerAdded:    "Listener Text Dur M Flag",
	informer.KindListenerRemoved:  "Listener",
	informer.KindListenerStopped:  "Listener N",
	informer.KindListenerSyncing:  "Listener Flag",
	informer.KindDistributed:      "Op Key RV Flag N Text Obj Old Listener",
	informer.KindAccepted:         "Listener Op Key RV N M Flag",
	informer.KindDelivered:        "Listener Op Key RV N Flag",
	informer.KindHandling:         "Listener Op Key RV Flag",
	informer.KindHandled:          "Listener Op Key RV Dur Err",
	informer.KindListenerSynced:   "Listener",

	KindWireRequest:          "Req Text",
	KindWireResponse:         "Req N Err",
	KindWireBytes:            "Req N",
	KindWireFrame:            "Req Op Key RV N Obj",
	KindWireDone:             "Req Err",
	KindSelected:             "Text",
	KindCluster:              "RV StoreRV N M",
	KindFault:                "Text Flag Dur N",
	KindHold:                 "N Listener Flag",
	KindReleased:             "N Listener M",
	KindGateWaiting:          "N Listener Flag",
	KindHandlerSpeed:         "Listener Dur",
	KindTrouble:              "Text Key Indexed Err",
	KindNote:                 "Text",
	KindWorkAdded:            "Key N Flag Dur Listener",
	KindWorkDeduplicated:     "Key N Flag Dur Listener",
	KindWorkMarkedDirty:      "Key N Flag Dur Listener",
	KindWorkTaken:            "Key N Flag Dur Listener",
	KindWorkDone:             "Key N Flag Dur Listener",
	KindWorkWaiting:          "Key N Flag Dur Listener",
	KindWorkWaitingSooner:    "Key N Flag Dur Listener",
	KindWorkWaitingUnchanged: "Key N Flag Dur Listener",
	KindWorkDue:              "Key N Flag Dur Listener",
	KindWorkRateLimited:      "Key N Flag Dur Listener",
	KindWorkForgotten:        "Key N Flag Dur Listener",
	KindWorkShuttingDown:     "Key N Flag Dur Listener",
	KindReconciled:           "Key Listener Dur Err Text",
	KindListerRead:           "Key RV StoreRV N Flag",
	KindClusterWrite:         "Key Text RV Listener",
	KindClusterWritten:       "Key Text Listener StoreRV RV Dur Err",
	KindWrites:               "Flag N",
	KindRestored:             "Text Items StoreRV",
	KindLane:                 "Text",
	KindFactory:              "Text Key",
	KindSampled:              "Text",
	KindMutated:              "Key RV Listener Flag Obj Old Text Indexed",
	KindMet:                  "Key RV Listener Flag Text",
	KindCrowd:                "Text",
}

// Members returns the names of an Event's members that have a meaning in a kind; ok reports whether the kind exists.
func Members(k informer.Kind) (names []string, ok bool) {
	words, ok := carries[k]
	return strings.Fields(words), ok
}
