// Package judges has tests that let programs of others judge the served cluster: suites on envtest, helm, kubectl of two releases, and a client in
// JavaScript. They are fetched and compiled in a temporary directory, so that only `make sim-foreign` runs them. Each test says in one line what it saw.
package judges
