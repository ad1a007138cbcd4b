package play

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// scheduleLimit is how long one script may take by the clock on the wall. A
// script takes some milliseconds, all its waiting being virtual; one that takes
// this long is not slow, it hangs.
const scheduleLimit = 3 * time.Minute

// watchdog ends the process with every goroutine's stack and what it was told
// to say, unless the function it returns is called within limit. It must be
// started outside of a synctest bubble, where time is real: a bubble in which
// a goroutine waits for a mutex never gets on and is never reported either.
func watchdog(limit time.Duration, say func() string) (stop func()) {
	t := time.AfterFunc(limit, func() {
		stacks := make([]byte, 64<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		fmt.Fprintf(os.Stderr, "watchdog: no end after %v: %s\n\n%s\n", limit, say(), stacks)
		os.Exit(2)
	})
	return func() { t.Stop() }
}

// watch is the watchdog of one script.
func (s *Script) watch(release Release) (stop func()) {
	limit := scheduleLimit
	if s.limit > 0 {
		limit = s.limit
	}
	return watchdog(limit, func() string {
		return fmt.Sprintf("seed %d, release %s, GOMAXPROCS %d, script:\n%s", s.seed, release, runtime.GOMAXPROCS(0), s)
	})
}

// Hanging is a script that hangs, for the test of the watchdog: a goroutine
// waits for a mutex, so that virtual time stands still.
func Hanging() *Script {
	return &Script{seed: 4711, limit: time.Second, ops: []op{do("hang", func(*world) {
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	})}}
}

// ShrunkPlain is what shrinking makes of a script for a plain informer when it
// takes the first handler out: the next one is slow.
func ShrunkPlain() *Script {
	slow := handler(spec{name: "h0", resync: -1, slow: 121 * time.Millisecond})
	s := &Script{seed: 21, objects: 3, resync: 7 * time.Second, early: []op{slow}, ops: []op{put("ns/o1", "a"), wait(time.Minute), slow}, settle: true}
	s.makePlain()
	s.early = s.early[1:]
	return s
}
