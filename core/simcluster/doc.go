// Package simcluster is an in-memory cluster that speaks the Kubernetes REST API as an http.Handler.
//
// It gives an informer, a small controller or kubectl what they need of an API server. That is discovery, get, list in pages, watch with
// bookmarks and streaming lists, create, update with conflicts, patch, and delete with finalizers and owners. It answers with the errors of
// a real one. Behind the API small controllers make it live: deployments make replica sets, replica sets make pods, a scheduler places
// them, a kubelet runs them, nodes renew their leases. One counter over the whole cluster is the resourceVersion, as an etcd revision is.
//
// It is made to be cheap, because it runs inside a page. An object is stored as the JSON bytes that go out on the wire, beside the few
// fields that the server itself must know. A list is a concatenation. A watch event is those same bytes between a prefix and a suffix,
// encoded once for all watchers. The changes that the simulation makes to pods are splices into the bytes. Versions of objects are
// immutable, so every reader works without the lock once it has them.
//
// Everything that happens is driven by an injected clock and a seed: the same seed, the same steps of the clock and the
// same calls give the same sequence of writes.
package simcluster
