package proc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := withLimit(context.Background(), time.Minute)
		defer cancel()
		time.Sleep(time.Minute - 1)
		if err := ctx.Err(); err != nil {
			t.Fatalf("it ended before its limit: %v", err)
		}
		<-ctx.Done()
		if cause := context.Cause(ctx); cause != errTooLong {
			t.Errorf("it ended because of %v, want %v", cause, errTooLong)
		}
	})
	ctx, stop := Limit(time.Hour)
	stop()
	if ctx.Err() == nil {
		t.Error("it goes on after it was let go")
	}
}
