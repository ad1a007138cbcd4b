// Package restwatch speaks LIST and WATCH to an API server over net/http, for any resource, with object.Object as the object.
//
// It replaces client-go's rest.Request and its decoders, and mirrors what an informer can notice of them. These are the URLs and query
// parameters of the typed clients, metav1.Status bodies as *apierrors.StatusError, and the rules by which a broken watch stream ends.
// k8s.io/apimachinery/pkg/util/net recognises its connection errors. Some things differ on purpose:
//
//   - Nothing is retried here. rest.Request repeats a request up to ten times when a response carries Retry-After. A caller of this package gets the
//     error, with the delay asked for in its details. So every HTTP request is one visible step of the Reflector above.
//   - Objects keep their bytes. A body is walked once to validate it and to find metadata; nothing is decoded into maps.
//   - Hooks report every request, response, chunk and frame to the code that draws them.
//   - A cancelled context ends a watch quietly, even while an event waits for its reader. client-go's StreamWatcher would report the
//     cancellation as an Error event and, without a reader, wait for Stop.
package restwatch
