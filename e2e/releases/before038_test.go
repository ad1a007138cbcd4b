//go:build v031 || v033 || v035

package releases

import (
	"errors"

	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

// What came with client-go 0.36 and 0.37.

const syncedWithoutLock = false

func isDone(x interface{ HasSynced() bool }) bool { return x.HasSynced() }

func storeVersion(cache.Store) string { return "" }

func bookmark(cache.Queue) func(string) error { return func(string) error { return nil } }

func neutralDelta(o any) any { return o }

func setHalf(cache.SharedIndexInformer) { panic("SetShardSelector came with client-go 0.38") }

func shutDown(cache.SharedIndexInformer, play.Registration) error {
	return errors.New("ShutDownEventHandler came with client-go 0.37")
}
