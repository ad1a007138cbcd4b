// Package clusters loads the clusters of a kubeconfig, by kubectl's loading rules, and makes the transports that authenticate to them as the user. It
// reads the files again whenever they change. Loading contacts no cluster and runs no credential plugin: that happens with the first request through
// a transport.
package clusters
