// Package simapi serves the simulated cluster as a Kubernetes API server, for kubectl and controllers. It listens on loopback over TLS, with a certificate
// and a token of this launch, and writes a kubeconfig that only its owner can read.
package simapi
