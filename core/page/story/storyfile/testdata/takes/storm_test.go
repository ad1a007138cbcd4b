package take

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TestListWhenThereIsRoom: the waits double up to 30 s, each with as much again by chance, and the list is asked for until there is room.
func TestListWhenThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const refusals = 20
		var times []time.Time
		err := listWhenThereIsRoom(t.Context(), func(context.Context) error {
			if times = append(times, time.Now()); len(times) <= refusals {
				return apierrors.NewTooManyRequests("no seat", 0)
			}
			return nil
		})
		if err != nil || len(times) != refusals+1 {
			t.Fatalf("%d lists, %v", len(times), err)
		}
		least := 800 * time.Millisecond
		for i := 1; i < len(times); i++ {
			if wait := times[i].Sub(times[i-1]); wait < least || wait > 2*least {
				t.Errorf("wait %d took %v, and not %v to %v", i, wait, least, 2*least)
			}
			least = min(2*least, 30*time.Second)
		}
	})
}

// TestListEndsWithAnotherError: only a refusal for want of room is asked again.
func TestListEndsWithAnotherError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lists := 0
		err := listWhenThereIsRoom(t.Context(), func(context.Context) error {
			lists++
			return apierrors.NewInternalError(context.Canceled)
		})
		if !apierrors.IsInternalError(err) || lists != 1 {
			t.Errorf("%d lists, %v", lists, err)
		}
	})
}
