//go:build js && wasm

package main

import (
	"runtime/metrics"

	"informerscope/core/page/view"
)

// memoryLimit is what 32-bit addresses can reach.
const memoryLimit = 4 << 30

// memory returns the worker's memory use, without stopping the world.
func memory() view.Memory {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(s)
	return view.Memory{Live: s[0].Value.Uint64(), Total: s[1].Value.Uint64(), Limit: memoryLimit}
}
