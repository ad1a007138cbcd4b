// Package pipeline measures what an informer does between a decoded watch event
// or list and its handlers: no network, no JSON. The same measurements run on
// informerscope's informer and on client-go's, natively and in WebAssembly, with
// the same objects from the same in-memory source.
package pipeline
