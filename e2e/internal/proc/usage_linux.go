package proc

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Processor is how long a process has had a processor so far, to the nanosecond: it reads the process's own clock, where /proc counts in
// steps of 10 ms.
func Processor(pid int) (time.Duration, error) {
	// Mirrors MAKE_PROCESS_CPUCLOCK of Linux (include/linux/posix-timers.h), with the scheduler's own figure (CPUCLOCK_SCHED).
	const scheduled = 2
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &at); err != nil {
		return 0, fmt.Errorf("read the processor's time of process %d: %w", pid, err)
	}
	return time.Duration(at.Nano()), nil
}

// Resident is how many bytes of memory a process has.
func Resident(pid int) (int64, error) { return memory(pid, "VmRSS") }

// MostResident is how many bytes of memory a process had at most.
func MostResident(pid int) (int64, error) { return memory(pid, "VmHWM") }

func memory(pid int, field string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, field+": %d kB", &kib); n == 1 {
			return kib << 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/%d/status names no %s", pid, field)
}

// Load is how many programs wanted a processor lately, as the last minute's load average has it; 0 where that is not known.
func Load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return 0
	}
	return load
}
