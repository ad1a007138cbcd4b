package controllerruntime

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.org/informerscope/probe"
)

// Reconciler returns r, whose reconciles the probe sees from their begin to their end, with what they write with the context that they get:
//
//	Complete(controllerruntime.Reconciler(p, r))
//
// It needs a queue of NewQueue and a configuration of Probe.WrapConfig. r's results, errors and panics go on unchanged.
func Reconciler[R comparable](p *probe.Probe, r reconcile.TypedReconciler[R]) reconcile.TypedReconciler[R] {
	return reconcile.TypedFunc[R](func(ctx context.Context, request R) (reconcile.Result, error) {
		ctx, done := p.Reconcile(ctx, request)
		result, err := r.Reconcile(ctx, request)
		done(err)
		return result, err
	})
}
