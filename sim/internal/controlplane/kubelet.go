package controlplane

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	nodestages "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	leasestages "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podstages "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/client/clientset/versioned"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/controllers"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/client"
)

// startTime is about how long a pod's containers take until they run; half of it is random. kwok's own stages take no time.
const startTime = time.Second

// runKubelets runs kwok's controllers until ctx ends: each node has a kubelet that renews its lease and says that its pods run.
func (c components) runKubelets(ctx context.Context) error {
	ctx = log.NewContext(ctx, log.NewLogger(c.options.Logs, log.LevelInfo))
	kubeconfig, err := c.access.kubeconfig(Kubelet, c.address)
	if err != nil {
		return err
	}
	clients, err := client.NewClientset("", kubeconfig)
	if err != nil {
		return err
	}
	config, err := clients.ToRESTConfig()
	if err != nil {
		return err
	}
	stages, err := c.stages()
	if err != nil {
		return err
	}
	o := kwok.Config{
		Clock:                      clock.RealClock{},
		ImpersonatingDynamicClient: clients.ToImpersonatingDynamicClient(),
		ImpersonatingTypedClient:   clients.ToImpersonatingTypedClient(),
		ManageAllNodes:             true, // that it sees
		CIDR:                       pods,
		NodeIP:                     nodeIP,
		LocalStages:                stages,
		PodPlayStageParallelism:    16,
		NodePlayStageParallelism:   4,
		NodeLeaseDurationSeconds:   leaseSeconds,
		NodeLeaseParallelism:       4,
		PodsOnNodeSyncParallelism:  4,
		ID:                         Kubelet,
	}
	if o.DynamicClient, err = clients.ToDynamicClient(); err != nil {
		return err
	}
	if o.RESTMapper, err = clients.ToRESTMapper(); err != nil {
		return err
	}
	if o.RESTClient, err = rest.RESTClientFor(config); err != nil {
		return err
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return hideStopped{next, c.options.Stopped} })
	if o.TypedClient, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if o.TypedKwokClient, err = versioned.NewForConfig(config); err != nil {
		return err
	}
	controller, err := kwok.NewController(o)
	if err != nil {
		return err
	}
	if err := controller.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// hideStopped hides nodes whose kubelet has stopped from lists and watches of nodes. A selector in kwok's own Config leaves out nodes that have no label or
// annotation at all, and does not give a node up when the selector no longer matches it.
type hideStopped struct {
	next  http.RoundTripper
	label string
}

// RoundTrip implements http.RoundTripper.
func (h hideStopped) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet && r.URL.Path == "/api/v1/nodes" {
		r = r.Clone(r.Context())
		query := r.URL.Query()
		query.Set("labelSelector", "!"+h.label)
		r.URL.RawQuery = query.Encode()
	}
	return h.next.RoundTrip(r)
}

// stages are kwok's own stages of pods and nodes, with the time that containers take to start, and those of the options.
func (c components) stages() (map[internalversion.StageResourceRef][]*internalversion.Stage, error) {
	all := map[internalversion.StageResourceRef][]*internalversion.Stage{}
	texts := []string{podstages.DefaultPodReady, podstages.DefaultPodComplete, podstages.DefaultPodDelete, nodestages.DefaultNodeInit,
		leasestages.DefaultNodeHeartbeatWithLease}
	for _, text := range append(texts, strings.Split(c.options.Stages, "\n---\n")...) {
		stage, err := kwokconfig.UnmarshalWithType[*internalversion.Stage](text)
		if err != nil {
			return nil, fmt.Errorf("a stage of kwok: %w", err)
		}
		if stage.Name == "pod-ready" || stage.Name == "pod-complete" {
			after, longest := startTime.Milliseconds()/2, startTime.Milliseconds()*3/2
			stage.Spec.Delay = &internalversion.StageDelay{DurationMilliseconds: &after, JitterDurationMilliseconds: &longest}
		}
		if delay := stage.Spec.Delay; delay != nil && stage.Spec.ResourceRef.Kind == "Pod" {
			scale(delay.DurationMilliseconds, c.options.Speed)
			scale(delay.JitterDurationMilliseconds, c.options.Speed)
		}
		all[stage.Spec.ResourceRef] = append(all[stage.Spec.ResourceRef], stage)
	}
	return all, nil
}

// scale divides a number of milliseconds by the speed.
func scale(millis *int64, speed float64) {
	if millis != nil {
		*millis = int64(float64(*millis) / speed)
	}
}
