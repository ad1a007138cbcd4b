//go:build !linux

package main

import "errors"

func profiling(int, bool) error { return errors.New("a server is profiled on Linux alone") }
