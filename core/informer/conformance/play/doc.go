// Package play plays scripts to an informer and writes down what there is to
// see of it. It knows no library: core/informer is played to by the package
// above, and so is client-go v0.37.2; older releases of client-go are played to
// by the modules in e2e/releases, each of which compiles this package with the
// apimachinery of its release. So it uses nothing of apimachinery that is not
// in all of them, and neither client-go nor core/informer.
//
// One scripted API server, which keeps a small cluster with a history, plays
// the script in a synctest bubble, so that time is exact. All libraries draw
// their random numbers from one seed, so that jitter and watch timeouts are
// exact too. What the server is asked and when, what every handler is told and
// when, and what the store, its indices and the lamps show at every quiet
// moment can then be compared, down to which copy of an object it is.
//
// What client-go leaves to the order of a Go map is compared with that order
// taken out, and nothing else is: see canonical.
package play
