// Package served runs informerscope-sim, the program of the cluster that "informerscope sim" serves, beside this one.
package served
