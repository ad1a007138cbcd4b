package vclock

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Sleep waits for d by the clock c. If ctx is done first, it returns the error of ctx.
func Sleep(ctx context.Context, c clock.Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
