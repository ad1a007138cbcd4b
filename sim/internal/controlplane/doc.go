// Package controlplane runs Kubernetes in one process: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok's controllers in the place
// of kubelets. It starts each by what the component exports, waits until it serves, and ends it. Nothing of them is patched.
package controlplane
