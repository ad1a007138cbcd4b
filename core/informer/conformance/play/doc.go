// Package play plays scripts to an informer and writes down what can be seen of it. It knows no library. The package above plays to
// core/informer and to client-go v0.37.2. The modules in e2e/releases play to older releases of client-go, and each compiles this package
// with the apimachinery of its release. So it uses only what all of them have of apimachinery, and neither client-go nor core/informer.
//
// One scripted API server, which keeps a small cluster with a history, plays the script in a synctest bubble, so that time is exact. All
// libraries draw their random numbers from one seed, so that jitter and watch timeouts are exact too. So all of it can be compared: what
// the server is asked and when, and what every handler gets and when. At every quiet moment the store, its indices and the lamps can be
// compared too, down to which copy of an object it is.
//
// What client-go leaves to the order of a Go map is compared with that order taken out, and nothing else is: see canonical.
package play
