package proc

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"
)

var errTooLong = errors.New("the benchmark takes too long")

// Limit is the context of a benchmark: it ends by an interrupt, and after its limit, with that as its cause. Stop frees it.
func Limit(limit time.Duration) (ctx context.Context, stop func()) {
	interrupted, unhear := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := withLimit(interrupted, limit)
	return ctx, func() {
		cancel()
		unhear()
	}
}

func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, errTooLong)
}
