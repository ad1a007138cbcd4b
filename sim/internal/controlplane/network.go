package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/server/egressselector"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// The addresses of services, nodes and pods. They may be those of machines that have nothing to do with this cluster.
const (
	services = "10.0.0.0/16"
	nodeIP   = "10.0.0.1"
	pods     = "10.244.0.0/16"
)

// closeNetwork lets an API server reach no kubelet, pod or service: there is none, and a machine with that name or address is a stranger. Services by the
// name of a host, and webhooks by URL, are reached.
func closeNetwork(config *app.Config) {
	config.KubeAPIs.Extra.KubeletClientConfig.Lookup = func(egressselector.NetworkContext) (utilnet.DialFunc, error) { return dialKubelet, nil }
	transport := config.KubeAPIs.ControlPlane.ProxyTransport
	transport.Proxy = nil
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if to, err := netip.ParseAddrPort(address); err == nil &&
			(netip.MustParsePrefix(services).Contains(to.Addr()) || netip.MustParsePrefix(pods).Contains(to.Addr())) {
			return nil, fmt.Errorf("nothing listens at %s: the pods of this cluster run no containers", address)
		}
		return dial(ctx, network, address)
	}
}

func dialKubelet(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("the pods of this cluster run no containers, so there is no log and nothing to run a command in")
}
