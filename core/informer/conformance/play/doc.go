// Package play plays scripts to an informer and records what can be observed of it. It depends on neither client-go nor core/informer. The parent
// package plays scripts to core/informer and to client-go v0.37.2. The modules in e2e/releases play them to older releases of client-go, and each
// compiles this package with the apimachinery of its release. So the package uses only what all of these versions of apimachinery have.
//
// A script runs against one scripted API server, which keeps a small cluster with a history. It runs in a synctest bubble, so time is exact. All
// libraries draw their random numbers from one seed, so jitter and watch timeouts are exact too. Therefore everything can be compared: each request
// with its time, and each handler call with its time. Whenever all goroutines are idle, the store, its indices and every HasSynced are compared too,
// down to which copy of an object it is.
//
// Where the order in client-go is that of a Go map, the comparison ignores the order. It ignores nothing else: see canonical.
package play
