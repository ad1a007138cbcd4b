package main

import "syscall"

// profiling begins or ends the profile of a server built with the tag "profile".
func profiling(pid int, on bool) error {
	if on {
		return syscall.Kill(pid, syscall.SIGUSR1)
	}
	return syscall.Kill(pid, syscall.SIGUSR2)
}
