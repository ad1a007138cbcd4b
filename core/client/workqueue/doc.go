// Package workqueue is the queue between a controller's event handlers and its workers, built so that every transition can be observed.
//
// It behaves like client-go's util/workqueue v0.37.2 and keeps its names. A key is in the FIFO at most once, however often it is added (the dirty set).
// A key is never processed by two workers at once (the processing set); if it is added meanwhile, it goes back to the FIFO at Done. A delaying queue
// adds a heap of keys that are not due yet. A rate-limited queue asks a rate limiter how long a failed key has to wait.
//
// Unlike client-go's, every transition can be observed. An Observer gets each one while the queue's lock is held, so folding the events yields exactly
// what Snapshot returns, after every event. A Gate can hold workers back just before they take a key, so that a queue really fills, and each release
// lets one worker take one key. Both cost nothing if absent. Metrics and custom storage are left out: the events contain more than the metrics did.
package workqueue
