// Package cluster runs a real Kubernetes control plane, etcd and kube-apiserver,
// on loopback ports and without Docker.
//
// [Binaries] gives both, and kubectl: bin/informerscope-sim under three names, built if it is missing.
// [Start] starts a control plane and returns a kubeconfig. Tests can stop the API server, start it again on its port, and compact etcd. So
// they make the outages and the expired resource versions that informers must survive. Nothing outlives the test: every process is its own
// process group, killed when the control plane stops, and on Linux by the kernel when the test dies.
package cluster
