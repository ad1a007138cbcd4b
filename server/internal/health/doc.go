// Package health answers whether the server is ready: it serves, and the API servers of the contexts named at its start answer. It asks them on
// request, at most every ten seconds however many requests there are, and with the kubeconfig's credentials, because there are no others. Without a
// named context it asks no cluster.
package health
