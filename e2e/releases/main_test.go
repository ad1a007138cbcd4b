// Package-wide randomness must repeat, see play.
//
//go:debug randseednop=0

// Package releases plays the scripts of core/informer/conformance to the
// versions of client-go that the releases are named after, each with its default
// gates, and writes down what they answer. It has only tests. A release is
// chosen by a build tag and a module file:
//
//	go test -modfile=v031.mod -tags v031 .
//
// `make releases` plays all of them and compares with what is recorded.
package releases

import (
	"context"
	"flag"
	"io"
	"os"
	"testing"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// The usual error handlers log, and slow down by a global time of the last error. Between two synctest bubbles, whose clocks start again, that would
// be hours. Panics of handlers are part of the scripts.
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
