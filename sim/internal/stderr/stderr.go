// Package stderr keeps what Kubernetes' components print to standard error apart from what this program prints there. etcd's client in kube-apiserver logs
// each request that is cancelled, and nothing can tell it not to. It takes os.Stderr when its package is initialised. Go initialises this package before:
// of packages that wait for nothing, the first by import path comes first. A panic is printed to the true standard error all the same.
package stderr

import (
	"os"
	"path/filepath"
	"strings"
)

// True is the process's standard error.
var True = os.Stderr

// Components is what the components print, to be read to its end; nil if nothing is kept apart.
var Components *os.File

func init() {
	if !strings.HasPrefix(filepath.Base(os.Args[0]), "informerscope-sim") {
		return // kubectl and other programs under whose name this one runs
	}
	if r, w, err := os.Pipe(); err == nil {
		Components, os.Stderr = r, w
	}
}
