//go:build unix

package processors

import (
	"syscall"
	"time"
)

// used is the processor time of the process so far, in user mode and in the kernel.
func used() (d time.Duration, readable bool) {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
