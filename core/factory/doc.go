// Package factory makes shared informers for any resource of an API server.
//
// A SharedInformerFactory has one informer for each GroupVersionResource, made
// when it is first asked for, so that all who watch a resource share one watch
// and one store. It starts them, waits for them and ends them together. It is
// what client-go's informers and dynamicinformer packages are for client-go: the
// semantics are theirs, the objects are core/object's, and the way to the
// server is core/restwatch.
package factory
