// Package health answers whether the server is ready: it serves, and the API servers of the contexts that were named at its start answer.
// They are asked on request, at most every ten seconds however many requests there are, and with the kubeconfig's credentials, because
// there are no others. Where no context was named, no cluster is asked.
package health
