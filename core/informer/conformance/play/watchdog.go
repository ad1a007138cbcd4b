package play

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// scheduleLimit is how long one script may take in real time. A script takes some milliseconds, because its waits are virtual. One that takes this long
// hangs.
const scheduleLimit = 3 * time.Minute

// watchdog ends the process unless the returned function is called within limit. It prints the result of say and the stacks of all goroutines. It must
// be started outside of a synctest bubble, where time is real. If a goroutine of a bubble waits for a mutex, the bubble makes no progress, and synctest
// does not report it.
func watchdog(limit time.Duration, say func() string) (stop func()) {
	t := time.AfterFunc(limit, func() {
		stacks := make([]byte, 64<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		fmt.Fprintf(os.Stderr, "watchdog: no end after %v: %s\n\n%s\n", limit, say(), stacks)
		os.Exit(2)
	})
	return func() { t.Stop() }
}

// watch starts the watchdog of one script.
func (s *Script) watch(release Release) (stop func()) {
	limit := scheduleLimit
	if s.limit > 0 {
		limit = s.limit
	}
	return watchdog(limit, func() string {
		return fmt.Sprintf("seed %d, release %s, GOMAXPROCS %d, script:\n%s", s.seed, release, runtime.GOMAXPROCS(0), s)
	})
}

// HangingScript returns a script that hangs, for the test of the watchdog: a goroutine waits for a mutex, so virtual time stands still.
func HangingScript() *Script {
	return &Script{seed: 4711, limit: time.Second, ops: []op{step("hang", func(*world) {
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	})}}
}

// ShrunkPlain returns the script that shrinking makes of a script for a plain informer when it removes the first handler: the next one is slow.
func ShrunkPlain() *Script {
	slow := handler(spec{name: "h0", resync: -1, slow: 121 * time.Millisecond})
	s := &Script{seed: 21, objects: 3, resync: 7 * time.Second, early: []op{slow}, ops: []op{put("ns/o1", "a"), wait(time.Minute), slow}, settle: true}
	s.makePlain()
	s.early = s.early[1:]
	return s
}
