package analysis

import (
	"strings"

	"informerscope/core/words/event"
)

// Ride is the way of one change of an object through one informer to one handler and on to a worker, in order.
type Ride struct {
	Key string `json:"key"`
	// Lane is the informer's. Listener is the one that is followed: the one whose handler enqueued the key, else the first notified; 0 for none.
	Lane     int   `json:"lane"`
	Listener int32 `json:"listener"`
	// Whole: a handler has returned from handling the change.
	Whole bool `json:"whole"`
	// Micros is how long it took from the first hop to the last.
	Micros float64   `json:"micros"`
	Hops   []RideHop `json:"hops"`
}

// RideHop is a hop of a ride.
type RideHop struct {
	Hop
	// Function is the Go name of the function that did it, in client-go v0.37.2 or in the program that uses it; see Functions.
	Function string `json:"function"`
	// SinceMicros is the time since the previous hop, in whole microseconds; 0 for the first.
	SinceMicros float64 `json:"sinceMicros"`
}

// RideOf chooses one change among an object's hops (see Journey), as it went through a lane. It prefers the newest change that began by event at and that a
// handler has handled, then the newest that began by then, then the first. delta: the lane's queue is a DeltaFIFO. The Ride has no hops if the object has
// none.
func RideOf(hops []Hop, key string, lane int, at uint64, delta bool) Ride {
	ride := Ride{Key: key, Lane: lane, Hops: []RideHop{}}
	changes := map[int][]Hop{}
	var order []int
	for _, h := range hops {
		if int(h.Lane) != lane && h.Stage != "api" {
			continue
		}
		if changes[h.Change] == nil {
			order = append(order, h.Change)
		}
		changes[h.Change] = append(changes[h.Change], h)
	}
	chosen := 0
	for _, n := range order {
		began, whole := changes[n][0].Seq <= at, isHandled(changes[n])
		switch {
		case chosen == 0, began && whole, began && !isHandled(changes[chosen]):
			chosen = n
		}
	}
	group := changes[chosen]
	ride.Whole, ride.Listener = isHandled(group), rideListener(group)
	for _, h := range group {
		if h.Stage == "listener" && h.Listener != 0 && h.Listener != ride.Listener {
			continue
		}
		next := RideHop{Hop: h, Function: function(h, delta)}
		if n := len(ride.Hops); n > 0 {
			next.SinceMicros = roundMicros(h.AtMillis - ride.Hops[n-1].AtMillis)
		}
		ride.Hops = append(ride.Hops, next)
		ride.Micros = roundMicros(h.AtMillis - ride.Hops[0].AtMillis)
	}
	return ride
}

// roundMicros returns a difference in milliseconds as whole microseconds.
func roundMicros(millis float64) float64 { return float64(int64(millis*1000 + 0.5)) }

func isHandled(hops []Hop) bool {
	for _, h := range hops {
		if h.Kind == event.KindName(event.KindHandled) {
			return true
		}
	}
	return false
}

// rideListener returns the listener that a ride follows.
func rideListener(hops []Hop) (first int32) {
	within := int32(0)
	for _, h := range hops {
		switch h.Kind {
		case event.KindName(event.KindHandling):
			within = h.Listener
		case event.KindName(event.KindHandled):
			within = 0
		case event.KindName(event.KindWorkAdded), event.KindName(event.KindWorkAdded + 1), event.KindName(event.KindWorkAdded + 2):
			if within != 0 {
				return within
			}
		}
		if first == 0 && h.Stage == "listener" {
			first = h.Listener
		}
	}
	return first
}

// function returns the name of the function that does a hop.
func function(h Hop, delta bool) string {
	name := Functions[h.Kind]
	if before, after, found := strings.Cut(name, "|"); found {
		if name = after; delta {
			name = before
		}
	}
	if h.Kind == event.KindName(event.KindHandling) || h.Kind == event.KindName(event.KindHandled) {
		name += "." + map[string]string{"Added": "OnAdd", "Deleted": "OnDelete"}[h.Op]
		if strings.HasSuffix(name, ".") {
			name += "OnUpdate"
		}
	}
	if h.Kind == "Popped" && !delta && h.Total > 1 {
		name = "RealFIFO.PopBatch"
	}
	if h.Kind == "Processed" && h.Total > 1 {
		name = "processDeltasInBatch"
	}
	return name
}

// Functions maps a hop's kind (see KindName) to the function of client-go v0.37.2 that does it. If DeltaFIFO and RealFIFO differ, DeltaFIFO's comes before a
// "|". Names without a type are functions of package tools/cache. Reconcile is the program's own.
var Functions = map[string]string{
	"WireFrame":            "StreamWatcher.receive",
	"WatchEvent":           "handleAnyWatch",
	"Queued":               "DeltaFIFO.queueActionInternalLocked|RealFIFO.addToItems_locked",
	"Merged":               "dedupDeltas",
	"Popped":               "DeltaFIFO.Pop|RealFIFO.Pop",
	"Processed":            "processDeltas",
	"StoreAdded":           "threadSafeMap.Add",
	"StoreUpdated":         "threadSafeMap.Update",
	"StoreDeleted":         "threadSafeMap.Delete",
	"StoreReplaced":        "threadSafeMap.Replace",
	"Distributed":          "sharedProcessor.distribute",
	"Accepted":             "processorListener.add",
	"Delivered":            "processorListener.pop",
	"Handling":             "ResourceEventHandler",
	"Handled":              "ResourceEventHandler",
	"WorkAdded":            "Typed.Add",
	"WorkDeduplicated":     "Typed.Add",
	"WorkMarkedDirty":      "Typed.Add",
	"WorkTaken":            "Typed.Get",
	"WorkDone":             "Typed.Done",
	"WorkWaiting":          "delayingType.AddAfter",
	"WorkWaitingSooner":    "delayingType.AddAfter",
	"WorkWaitingUnchanged": "delayingType.AddAfter",
	"WorkDue":              "delayingType.waitingLoop",
	"WorkRateLimited":      "rateLimitingType.AddRateLimited",
	"WorkShuttingDown":     "Typed.ShutDown",
	"WorkForgotten":        "rateLimitingType.Forget",
	"ListerRead":           "threadSafeMap.Get",
	"Reconciled":           "Reconcile",
	"ClusterWrite":         "Request.Do",
	"ClusterWritten":       "Request.Do",
}
