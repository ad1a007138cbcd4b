// Command informerscope-sim is a Kubernetes cluster in one process, for a page of informerscope, kubectl and anybody's controllers. It has etcd,
// kube-apiserver, kube-controller-manager and kube-scheduler as they are, and kwok in the place of kubelets. It listens on loopback.
package main
