package informer

import (
	"time"

	"k8s.io/utils/clock"
)

// RetryWithDeadline decides how long a kind of error may be retried.
type RetryWithDeadline interface {
	// After records the outcome of every attempt.
	After(error)
	// ShouldRetry reports whether to try again.
	ShouldRetry() bool
}

type retryWithDeadline struct {
	first, last time.Time
	maxRetry    time.Duration
	minReset    time.Duration
	isRetryable func(error) bool
	clock       clock.Clock
}

// NewRetryWithDeadline returns a RetryWithDeadline that allows retries until maxRetryDuration has passed since the first error of a series. A series
// ends after minResetPeriod without such an error. A maxRetryDuration that is not positive allows no retry.
func NewRetryWithDeadline(maxRetryDuration, minResetPeriod time.Duration, isRetryable func(error) bool, clock clock.Clock) RetryWithDeadline {
	return &retryWithDeadline{maxRetry: maxRetryDuration, minReset: minResetPeriod, isRetryable: isRetryable, clock: clock}
}

func (r *retryWithDeadline) After(err error) {
	if !r.isRetryable(err) {
		return
	}
	now := r.clock.Now()
	if r.first.IsZero() || now.Sub(r.last) >= r.minReset {
		r.first = now
	}
	r.last = now
}

func (r *retryWithDeadline) ShouldRetry() bool {
	if r.maxRetry <= 0 {
		return false
	}
	if r.clock.Now().Sub(r.first) <= r.maxRetry {
		return true
	}
	r.first, r.last = time.Time{}, time.Time{}
	return false
}
