package vclock

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Sleep waits for d by the clock c, or until ctx is done, and returns the error of ctx then.
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
