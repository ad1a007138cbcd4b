// Package e2e judges the whole of informerscope from outside: the built server
// and page, in real browsers, on a real API server (package cluster) and on
// the simulated cluster.
//
// Folders say what their tests judge: page, stage (the panels of the main
// layout), stories, relay, cluster (live clusters), probe, audience, and tools
// (what make builds, and each browser).
// Package harness has what they share. The folders' tests run two at a time.
//
// It is a module of its own, so that what judges (client-go, chromedp) never
// becomes a dependency of what is judged. The control plane is
// bin/informerscope-sim under other names; with -short no test needs it. Screenshots and
// the logs of every process are kept in artifacts/.
//
// INFORMERSCOPE_CHROMIUM, INFORMERSCOPE_FIREFOX, INFORMERSCOPE_WEBKIT_DRIVER and INFORMERSCOPE_WEBKIT_BROWSER name browsers that are not on
// PATH; Ubuntu's snap of Firefox cannot read a profile in the temporary directory. Tests of a missing browser skip, but for Chromium. Firefox
// and WebKitGTK get a home directory of their own and a proxy (internal/gate) that refuses requests to other machines.
package e2e
