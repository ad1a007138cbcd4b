// Package selection says what a page watches: a source, resources, a namespace, releases, and the size of a simulated cluster. A Change applied to a
// event.Selection gives the next one, or says why it cannot be. Resolve completes it with what discovery found in the cluster.
package selection
