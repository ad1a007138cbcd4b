// Package e2e judges the whole of informerscope from outside: the built server
// and page, in real browsers, on a real API server (package cluster) and on
// the simulated cluster.
//
// The package has tests only. It is a module of its own, so that what judges
// (client-go, chromedp, a control plane) never becomes a dependency of what is
// judged. Screenshots and the logs of every process are kept in artifacts/.
package e2e
