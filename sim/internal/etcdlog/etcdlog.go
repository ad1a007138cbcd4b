// Package etcdlog silences the clients of etcd in informerscope-sim: for each write that its sender gives up, they would print a line on standard error. A
// program imports it for its effect.
//
// kube-apiserver makes the logger when its package is initialized, from this configuration. Go initializes packages in the order of their paths as far as
// their imports let it, so that this one, which imports nothing of Kubernetes, comes first.
package etcdlog

import (
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/etcd/client/pkg/v3/logutil"
)

func init() {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "informerscope-sim") { // not as kube-apiserver or etcd
		logutil.DefaultZapLoggerConfig.OutputPaths = nil
	}
}
