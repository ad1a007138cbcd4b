// Package restwatch sends LIST and WATCH requests to an API server over net/http, for any resource; objects are of type object.Object.
//
// It replaces client-go's rest.Request and its decoders, and mirrors everything about them that affects an informer. That is the typed clients' URLs
// and query parameters, metav1.Status bodies as *apierrors.StatusError, and how a broken watch stream ends. Its connection errors are those that
// k8s.io/apimachinery/pkg/util/net recognises. Some things differ on purpose:
//
//   - Every attempt of a request is visible to the code that draws it, and so is the wait before the next one. The waits have a clock.
//   - Objects keep their bytes. A body is walked once to validate it and to find metadata; nothing is decoded into maps.
//   - Hooks report every request, response, chunk and frame to the code that draws them.
//   - A cancelled context ends a watch quietly, even while an event waits for its reader. client-go's StreamWatcher would report the
//     cancellation as an Error event and, without a reader, wait for Stop.
package restwatch
