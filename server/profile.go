//go:build profile && unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// A server that was built with the tag "profile" writes a processor profile to the file that INFORMERSCOPE_PROFILE names, from
// SIGUSR1 to SIGUSR2. No other build can be profiled from outside: profiles name what a process works on.
func init() {
	path := os.Getenv("INFORMERSCOPE_PROFILE")
	if path == "" {
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		var file *os.File
		for sig := range signals {
			if sig == syscall.SIGUSR2 {
				pprof.StopCPUProfile()
				_ = file.Close()
				continue
			}
			var err error
			if file, err = os.Create(path); err == nil {
				err = pprof.StartCPUProfile(file)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, "informerscope: no profile:", err)
			}
		}
	}()
}
