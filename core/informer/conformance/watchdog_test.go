package conformance

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"informerscope/core/informer/conformance/play"
)

const hangEnvironment = "CONFORMANCE_HANG"

// TestWatchdog plays a script that hangs, in a process of its own. The output must contain the seed and the release and show where the goroutine waits.
func TestWatchdog(t *testing.T) {
	if os.Getenv(hangEnvironment) != "" {
		play.HangingScript().Play(t, ours(play.E133))
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWatchdog$", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), hangEnvironment+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("a script that hangs ended well:\n%s", out)
	}
	for _, want := range []string{"watchdog: no end after 1s: seed 4711, release 1.33", "hang\n", "sync.(*Mutex).Lock", "play.(*Script).play", "synctest bubble"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the dump lacks %q:\n%.4000s", want, out)
		}
	}
}

// TestShrunkPlainScript plays the script that shrinking makes of a plain script when it removes the first handler: the next one is slow. A slow handler
// that sleeps with the queue locked would stop the clock of the bubble.
func TestShrunkPlainScript(t *testing.T) {
	for _, release := range play.Releases {
		t.Run(string(release), func(t *testing.T) {
			mine := play.ShrunkPlain().Play(t, ours(release))
			if b := mine.Broken(); len(b) > 0 {
				t.Error(b)
			}
			if log := strings.Join(mine.Sections()[0].Lines, "\n"); !strings.Contains(log, "AddEventHandler(h0) failed") {
				t.Errorf("a slow handler was accepted:\n%s", log)
			}
			if release == play.E137 {
				if d := difference(mine, play.ShrunkPlain().Play(t, theirs()).Sections()); d != "" {
					t.Error(d)
				}
			}
		})
	}
}
