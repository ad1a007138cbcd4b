package informer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// SyncResult is the result of waiting for several informers. It does not cover their handlers; for those, use their registrations.
type SyncResult struct {
	// Err is nil if all have synced, otherwise the cause of the context's end.
	Err error
	// Synced maps the type of each informer's objects to whether it has synced.
	Synced map[reflect.Type]bool
}

// AsError returns nil if all have synced, otherwise an error that names those that have not and wraps Err.
func (c SyncResult) AsError() error {
	if c.Err == nil {
		return nil
	}
	var late []string
	//maporder:free sorted below
	for t, synced := range c.Synced {
		if !synced {
			late = append(late, t.String())
		}
	}
	slices.Sort(late)
	return fmt.Errorf("failed to sync all caches: %s: %w", strings.Join(late, ", "), c.Err)
}
