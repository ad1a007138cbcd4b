// Package clusters knows the clusters of a kubeconfig, by kubectl's loading rules, and makes the transports that carry the
// user's credentials to them. The files are looked at again whenever they change. Nothing here contacts a cluster or runs a
// credential plugin: that happens on the first request through a transport.
package clusters
