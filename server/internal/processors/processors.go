package processors

import (
	"os"
	"runtime"
	"time"
)

const (
	// interval is how often the load is looked at: with a burst of work the other processors come after at most so long.
	interval = 500 * time.Millisecond
	// busy and calm are loads in processors; between the two, nothing changes.
	busy = 0.6
	calm = 0.4
	// patience is how many calm intervals in a row it takes.
	patience = 2
)

// Keep looks at how much processor the process takes, until stop is closed, and has the Go runtime use one processor or as many as it
// would by itself. Where the environment says how many (GOMAXPROCS), where there is only one, or where the process's use cannot be read,
// it returns at once and changes nothing. When it returns, the runtime uses as many as at the beginning.
func Keep(stop <-chan struct{}) {
	if _, readable := used(); !readable || os.Getenv("GOMAXPROCS") != "" || runtime.GOMAXPROCS(0) == 1 {
		return
	}
	read := func() time.Duration {
		d, _ := used()
		return d
	}
	watch(stop, read, func(all bool) {
		if all {
			runtime.SetDefaultGOMAXPROCS()
		} else {
			runtime.GOMAXPROCS(1)
		}
	})
}

// watch calls set when the number of processors is to change; all of them are in use when it begins and when it returns.
func watch(stop <-chan struct{}, used func() time.Duration, set func(all bool)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	all, quiet := true, 0
	defer func() {
		if !all {
			set(true)
		}
	}()
	at, before := time.Now(), used()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		now, total := time.Now(), used()
		passed := now.Sub(at)
		if passed <= 0 { // two ticks at once, after the machine slept
			continue
		}
		load := float64(total-before) / float64(passed)
		at, before = now, total
		switch {
		case load > busy:
			quiet = 0
			if !all {
				all = true
				set(true)
			}
		case load > calm:
			quiet = 0
		default:
			if quiet++; quiet >= patience && all {
				all = false
				set(false)
			}
		}
	}
}
