// The package's randomness must be repeatable, see package play.
//
//go:debug randseednop=0
package conformance

import (
	"context"
	"flag"
	"io"
	"os"
	"testing"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

var (
	seedsFlag       = flag.Int("conformance.seeds", 0, "how many random schedules to play; 0 chooses by the kind of run")
	liveFlag        = flag.Bool("conformance.live", false, "let every release play the random schedules, not its transcript")
	worstFlag       = flag.Int("conformance.worst", 1, "how many differing schedules to shrink in a release")
	fromFlag        = flag.Int64("conformance.from", 1, "the first seed")
	transcriptsFlag = flag.String("conformance.transcripts", "testdata", "the directory of what the releases of client-go answer")
	updateFlag      = flag.Bool("update", false, "rewrite docs/dev/conformance.md from the table")
)

// TestMain removes the default error handlers. They log, and they delay by the time since the last error, which is global. Between two synctest
// bubbles, whose clocks start at the same time, that delay would be hours. Panics of handlers are part of the scripts.
func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = nil
	utilruntime.PanicHandlers = []func(context.Context, any){}
	utilruntime.ReallyCrash = false
	var fs flag.FlagSet
	klog.InitFlags(&fs)
	_ = fs.Set("logtostderr", "false")
	_ = fs.Set("stderrthreshold", "FATAL")
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}
