package soak

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// scheduleLimit is how long one script may take in real time. A script takes some milliseconds, because it waits on virtual time; one that takes this
// long hangs.
const scheduleLimit = 3 * time.Minute

// Play plays a script on virtual time. dir is for files.
func (s *Script) Play(t *testing.T, dir string) (r Result) {
	defer s.watch()()
	bubble := ""
	defer func() {
		if p := recover(); p != nil {
			r.Problems = append(r.Problems, fmt.Sprintf("%v\n%s", p, bubbleStacks(bubble)))
		}
	}()
	synctest.Test(t, func(*testing.T) {
		bubble = ownBubble()
		r = play(s, dir)
	})
	return r
}

// watch ends the process with every goroutine's stack if the script does not end. It runs outside of the bubble, on real time: synctest does not
// detect a bubble in which a goroutine waits for a mutex forever.
func (s *Script) watch() (stop func()) {
	t := time.AfterFunc(scheduleLimit, func() {
		fmt.Fprintf(os.Stderr, "no end after %v: %s\n\n%s\n", scheduleLimit, s, stacks())
		os.Exit(2)
	})
	return func() { t.Stop() }
}

func stacks() string {
	buf := make([]byte, 32<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// ownBubble is the name of the caller's bubble in stacks.
func ownBubble() string {
	buf := make([]byte, 256)
	head, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), "]:")
	_, bubble, _ := strings.Cut(head, ", ")
	return bubble
}

// bubbleStacks returns the stacks of the goroutines of a bubble.
func bubbleStacks(bubble string) string {
	var out []string
	for stack := range strings.SplitSeq(stacks(), "\n\n") {
		if head, _, _ := strings.Cut(stack, "\n"); strings.HasSuffix(head, ", "+bubble+"]:") {
			out = append(out, stack)
		}
	}
	return strings.Join(out, "\n\n")
}
