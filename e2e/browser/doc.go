// Package browser drives a real Chromium for the end-to-end tests and the
// benchmark: it finds one, starts it headless with a profile of its own, opens
// pages, and remembers all that goes wrong in them and in their workers:
// exceptions, console errors, refused policies, failed requests. Waiting is done
// inside the page, once per animation frame, bounded by a context.
package browser
