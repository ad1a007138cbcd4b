package simtest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// fakeT is a test that may fail without failing the real one.
type fakeT struct {
	testing.TB
	failed   bool
	text     strings.Builder // of all messages
	cleanups []func()
	ctx      context.Context
}

// Context ends before the cleanups, like that of a real test: an informer that outlives its cluster waits for years of a bubble's time.
func (f *fakeT) Context() context.Context { return f.ctx }

func (f *fakeT) Helper()          {}
func (f *fakeT) Failed() bool     { return f.failed }
func (f *fakeT) Cleanup(g func()) { f.cleanups = append(f.cleanups, g) }

func (f *fakeT) Logf(format string, args ...any) { fmt.Fprintf(&f.text, format+"\n", args...) }

func (f *fakeT) Errorf(format string, args ...any) {
	f.failed = true
	f.Logf(format, args...)
}

func (f *fakeT) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

// runFake runs a test to its end, cleanups included, and returns it.
func runFake(t *testing.T, test func(*fakeT)) *fakeT {
	ctx, cancel := context.WithCancel(t.Context())
	f := &fakeT{TB: t, ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			cancel()
			for i := len(f.cleanups) - 1; i >= 0; i-- {
				f.cleanups[i]()
			}
		}()
		test(f)
	}()
	<-done
	return f
}
