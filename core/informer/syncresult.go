package informer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// SyncResult is what came of waiting for several informers. It speaks of the
// informers alone; whether handlers have seen everything, their registrations know.
type SyncResult struct {
	// Err is nil if all have synced, else why the waiting ended: the cause of its context.
	Err error
	// Synced says for each informer's type of objects whether it has synced.
	Synced map[reflect.Type]bool
}

// AsError returns nil if all have synced, else an error that names those that
// have not and wraps Err.
func (c SyncResult) AsError() error {
	if c.Err == nil {
		return nil
	}
	var late []string
	for t, synced := range c.Synced {
		if !synced {
			late = append(late, t.String())
		}
	}
	slices.Sort(late)
	return fmt.Errorf("failed to sync all caches: %s: %w", strings.Join(late, ", "), c.Err)
}
