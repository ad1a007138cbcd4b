// Package simcluster is an in-memory cluster that serves the Kubernetes REST API as an http.Handler.
//
// It has what an informer or a small controller need of an API server: discovery, get, list in pages, watch with bookmarks and streaming
// lists. It also has create, update with conflicts, merge patches, and delete with finalizers and owners. Its errors are those of a real API server. Small
// controllers bring it to life: deployments create replica sets, replica sets create pods, a scheduler places them, a kubelet runs them, nodes renew
// their leases. The resourceVersion is one counter for the whole cluster, like an etcd revision.
//
// It is cheap, because it runs inside a page. An object is stored as the JSON bytes that go out on the wire, beside the few fields that the server
// itself needs. A list is a concatenation. A watch event is those bytes between a prefix and a suffix. The simulation changes pods by splicing their
// bytes. Versions of objects are immutable, so readers need no lock once they have them.
//
// An injected clock and a seed determine everything that happens: the same seed, the same steps of the clock and the same calls give the same sequence
// of writes.
package simcluster
