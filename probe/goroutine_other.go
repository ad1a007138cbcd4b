//go:build !(gc && !purego && (amd64 || arm64))

package probe

// goroutine returns 0: on this processor the probe does not know goroutines.
func goroutine() uintptr { return 0 }

const knowsGoroutines = false
