// Package labtest helps tests that run a lab: it prepares their process for bubbles of fake time, stands for the relay, and waits for a state.
package labtest

import (
	"flag"
	"io"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// SilenceLogs takes the error handlers away, which keep the time of the last error for the whole process: no bubble of fake time survives that. It also
// stops the log. Writing a line is a system call, during which the runtime of a busy machine lets another goroutine go first. No page does that, so a
// story would not play the same again. Call it from TestMain.
func SilenceLogs() {
	utilruntime.ErrorHandlers = nil
	utilruntime.ReallyCrash = false
	var fs flag.FlagSet
	klog.InitFlags(&fs)
	_ = fs.Set("logtostderr", "false")
	_ = fs.Set("stderrthreshold", "FATAL")
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
