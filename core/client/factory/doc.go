// Package factory keeps one shared informer for each resource of an API server.
//
// A SharedInformerFactory has an informer made for each GroupVersionResource on first request, so that all watchers of a resource share one watch and one
// store. It starts the informers, waits for them and ends them together. Its semantics are those of client-go's informers and dynamicinformer packages.
// The objects are core/words/object's, and core/client/restwatch reaches the server.
package factory
