//go:build js && wasm

package main

import (
	"runtime/metrics"

	"informerscope/core/trace"
)

// memoryLimit is all that 32-bit addresses reach.
const memoryLimit = 4 << 30

// memory tells what the worker takes; it stops nothing.
func memory() trace.Memory {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(s)
	return trace.Memory{Live: s[0].Value.Uint64(), Total: s[1].Value.Uint64(), Limit: memoryLimit}
}
