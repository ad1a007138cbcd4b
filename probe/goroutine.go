//go:build gc && !purego && (amd64 || arm64)

package probe

// goroutine returns a number that no other running goroutine has: the address of the runtime's record of the caller's, which is never read. Go has no other
// way that is fast: runtime.Stack takes a microsecond.
func goroutine() uintptr

// knowsGoroutines reports whether goroutine returns such a number.
const knowsGoroutines = true
