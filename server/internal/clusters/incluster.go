package clusters

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// InCluster is the name of the only context in a pod without a kubeconfig.
const InCluster = "in-cluster"

// accountDirectory is where the kubelet mounts a pod's service account. Mirrors client-go rest.InClusterConfig (v0.37.2).
const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount"

// pod is the environment of a program in a pod.
type pod struct {
	directory string              // with the service account's token, ca.crt and namespace
	lookup    func(string) string // os.Getenv, or a test's
}

// currentPod is the pod that this process may run in.
func currentPod() pod { return pod{accountDirectory, os.Getenv} }

// isPod reports whether this is a pod, by the variables that the kubelet sets in each.
func (p pod) isPod() bool {
	return p.lookup("KUBERNETES_SERVICE_HOST") != "" && p.lookup("KUBERNETES_SERVICE_PORT") != ""
}

func (p pod) file(name string) string { return filepath.Join(p.directory, name) }

// files are the files that config depends on.
func (p pod) files() []string {
	return []string{p.file("token"), p.file("ca.crt"), p.file("namespace")}
}

// config returns a kubeconfig with one context, equivalent to client-go's rest.InClusterConfig (v0.37.2). The API server's address is from the
// environment, its authority from a file. The token's file is read again as the kubelet renews it. As a kubeconfig, all other code can treat it like
// one. An error says what to do.
func (p pod) config() (*clientcmdapi.Config, error) {
	for _, required := range []string{"token", "ca.crt"} {
		info, err := os.Stat(p.file(required))
		if err == nil && info.Size() == 0 {
			err = fmt.Errorf("it is empty")
		}
		if err != nil {
			return nil, fmt.Errorf("the program runs in a pod without a kubeconfig, and the pod's service account cannot be used: %s: %w; "+
				"give the pod a service account with automountServiceAccountToken: true, or a kubeconfig with --kubeconfig", p.file(required), err)
		}
	}
	server := url.URL{Scheme: "https", Host: net.JoinHostPort(p.lookup("KUBERNETES_SERVICE_HOST"), p.lookup("KUBERNETES_SERVICE_PORT"))}
	if parsed, err := url.Parse(server.String()); err != nil || parsed.Hostname() == "" || parsed.User != nil {
		return nil, fmt.Errorf("the program runs in a pod without a kubeconfig, and KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, " +
			"which name the API server, " +
			"are not a host and a port; correct the pod's environment, or give a kubeconfig with --kubeconfig")
	}
	const account = "service account"
	namespace := ""
	if raw, err := os.ReadFile(p.file("namespace")); err == nil { // optional: not all pods have the file
		namespace = strings.TrimSpace(string(raw))
	}
	config := clientcmdapi.NewConfig()
	config.CurrentContext = InCluster
	config.Clusters[InCluster] = &clientcmdapi.Cluster{Server: server.String(), CertificateAuthority: p.file("ca.crt")}
	config.AuthInfos[account] = &clientcmdapi.AuthInfo{TokenFile: p.file("token")}
	config.Contexts[InCluster] = &clientcmdapi.Context{Cluster: InCluster, AuthInfo: account, Namespace: namespace}
	return config, nil
}

// InCluster reports whether the only context is the pod's own, because there is no kubeconfig.
func (l *Loader) InCluster() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.inCluster
}
