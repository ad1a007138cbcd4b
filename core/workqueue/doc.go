// Package workqueue is the queue between a controller's event handlers and its workers, built so that it can be watched.
//
// It behaves like client-go's util/workqueue v0.37.2 and keeps its names. A key waits in a FIFO at most once, however often it is added
// (the dirty set). A key in work is never handed to a second worker (the processing set), and one that is added meanwhile goes back to the
// FIFO at Done. A delaying queue adds a heap of keys that wait for their time, and a rate-limited queue asks a rate limiter how long a
// failed key has to wait.
//
// What is new is that every transition can be seen. An Observer gets each one while the queue's lock is held, so folding the events yields
// exactly what Snapshot returns, after every single event. A Gate can hold workers back just before they take a key, so that a queue really
// fills and one release is one real step. Both cost nothing when absent. Metrics and custom storage are left out: events say more than the
// metrics did.
package workqueue
