//go:build !linux

package proc

import (
	"errors"
	"time"
)

var errNoProc = errors.New("what a process takes is read from /proc, which Linux has")

// Processor is how long a process has had a processor so far; on Linux.
func Processor(int) (time.Duration, error) { return 0, errNoProc }

// Resident is how many bytes of memory a process has; on Linux.
func Resident(int) (int64, error) { return 0, errNoProc }

// MostResident is how many bytes of memory a process had at most; on Linux.
func MostResident(int) (int64, error) { return 0, errNoProc }

// Load is how many programs wanted a processor lately; on Linux.
func Load() float64 { return 0 }
