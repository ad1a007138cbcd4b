//go:build v031 || v033

package releases

import (
	"time"
	_ "unsafe" // for go:linkname
)

// neverExitWatch is the channel that an informer without resyncs waits for. It
// is made when the program begins, outside of any synctest bubble, and time
// does not pass in a bubble that waits for a channel from outside.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

func enterBubble() { neverExitWatch = make(chan time.Time) }
