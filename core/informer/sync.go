package informer

import (
	"context"
	"slices"
	"sync"

	"k8s.io/klog/v2"
)

// DoneChecker is something that becomes done once and can be waited for.
type DoneChecker interface {
	// Name returns what is waited for. It may be computed on each call.
	Name() string
	// Done returns a channel that is closed when it is done.
	Done() <-chan struct{}
}

// IsDone reports, without waiting, whether checker is done.
func IsDone(checker DoneChecker) bool {
	select {
	case <-checker.Done():
		return true
	default:
		return false
	}
}

// WaitFor waits until all checkers are done and returns true. It returns false if ctx is done first. If what is not empty, it logs its progress.
func WaitFor(ctx context.Context, what string, checkers ...DoneChecker) bool {
	logger := klog.FromContext(ctx)
	if what != "" {
		// The log lines have the caller's file and line.
		var helper func()
		helper, logger = logger.WithCallStackHelper()
		helper()
		logger.Info("Waiting", "for", what)
	}
	var wg sync.WaitGroup
	results := make(chan DoneChecker, len(checkers))
	for _, checker := range checkers {
		wg.Go(func() {
			select {
			case <-checker.Done():
			case <-ctx.Done():
			}
			results <- checker
		})
	}
	var late []string
	for range checkers {
		// Check again, because a select with both cases ready picks either.
		switch checker := <-results; {
		case !IsDone(checker):
			late = append(late, checker.Name())
		case what != "":
			logger.Info("Done waiting", "for", what, "instance", checker.Name())
		}
	}
	wg.Wait()
	if what != "" && len(late) > 0 {
		slices.Sort(late)
		logger.Info("Timed out waiting", "for", what, "cause", context.Cause(ctx), "instances", late)
	}
	return len(late) == 0
}
