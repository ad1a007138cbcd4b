// Package browser drives a real Chromium for the end-to-end tests and the benchmark. It finds one, starts it headless with a profile of its own, and
// opens pages. It records what goes wrong in them and in their workers: exceptions, console errors, refused policies, failed requests. It waits
// inside the page, once per animation frame, bounded by a context.
package browser
