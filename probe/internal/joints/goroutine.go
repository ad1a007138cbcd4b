//go:build gc && !purego && !informerscope_public && (amd64 || arm64)

package joints

// Touches: the register or thread-local word in which Go's compiler keeps the address of the running goroutine's record, on amd64 and arm64.
// Gives: which call of a handler added a key, and which reconcile reads or writes.
// Guard: the record is never read; its address is only compared. Other processors and compilers have goroutine_other.go.

// Goroutine returns a number that no other running goroutine has: the address of the runtime's record of the caller's. Go has no other way that is fast:
// runtime.Stack takes a microsecond.
func Goroutine() uintptr

// KnowsGoroutines reports whether Goroutine returns such a number.
const KnowsGoroutines = true
