// Package health answers whether the server is ready: it serves, and the API servers of the contexts that were named at its start answer. They
// are asked when somebody asks, at most every ten seconds however many ask, and with the credentials of the kubeconfig, for there are no
// others. Where no context was named, no cluster is asked.
package health
