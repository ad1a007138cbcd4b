//go:build v033 || v035 || v038

package releases

import (
	"context"

	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

func source(o play.Options) cache.ListerWatcher {
	if o.Bare {
		s := o.Source.(play.SourceWithContext)
		return &cache.ListWatch{ListWithContextFunc: s.ListWithContext, WatchFuncWithContext: s.WatchWithContext}
	}
	return o.Source
}

func runShared(ctx context.Context, s cache.SharedIndexInformer) { s.RunWithContext(ctx) }
func runController(ctx context.Context, c cache.Controller)      { c.RunWithContext(ctx) }
func runReflector(ctx context.Context, r *cache.Reflector)       { r.RunWithContext(ctx) }
