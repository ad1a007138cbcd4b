package workqueue

import "context"

// Gate holds a worker before it takes a key. Wait returns when the worker may go on, at the latest when ctx is done, which happens when the queue shuts
// down.
type Gate interface {
	Wait(ctx context.Context)
}
