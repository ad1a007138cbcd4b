// Package feed is the API server of the benchmark: an http.RoundTripper that
// answers LIST, WATCH and WatchList for pods from bytes in memory. Both
// sides of the benchmark read the very same bytes from it, and no network and
// no server is measured with them.
package feed
