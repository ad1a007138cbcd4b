// Package etcdlog keeps etcd's client in kube-apiserver from logging each request that is cancelled. The client reads its level from the environment when
// its package is initialised. Go initialises this package before it: of packages that wait for nothing, the first by import path comes first.
package etcdlog

import "os"

func init() {
	const level = "ETCD_CLIENT_DEBUG"
	if os.Getenv(level) == "" {
		_ = os.Setenv(level, "error") // a log level is all that is lost
	}
}
