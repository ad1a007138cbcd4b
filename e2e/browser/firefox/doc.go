// Package firefox drives a Firefox (or Firefox ESR) for the end-to-end tests. It starts one without a window, with a profile of its own,
// and speaks WebDriver BiDi with it, the protocol of the W3C that Firefox serves over a WebSocket.
package firefox
