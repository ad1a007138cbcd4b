// Package kubeapi makes the simulated cluster answer like kube-apiserver: with the schemas, the managed fields and the built-in kinds of Kubernetes, and in
// protobuf. It is for tests of controllers: a page goes without, because it would become too large.
package kubeapi
