package proc

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"
)

var errTooLong = errors.New("the benchmark takes too long")

// Within is the context of a benchmark: it ends by an interrupt, and after its limit, with that as its cause. Stop frees it.
func Within(limit time.Duration) (ctx context.Context, stop func()) {
	interrupted, unhear := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := limited(interrupted, limit)
	return ctx, func() {
		cancel()
		unhear()
	}
}

func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, errTooLong)
}
