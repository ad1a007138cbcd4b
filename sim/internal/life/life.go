// Package life makes a cluster live, and is what levers do to it: as a client of its API, and by what only its own process can do.
package life

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/cluster/levers"
	"informerscope/core/cluster/simcluster"
)

// patience bounds what one lever may take: the page waits for ten seconds.
const patience = 9 * time.Second

// Machine is what levers do to the processes behind the API.
type Machine interface {
	// Compact drops etcd's history up to now. kube-apiserver keeps what is in its watch cache.
	Compact(ctx context.Context) error
	// Restart ends kube-apiserver, starts it again, and returns when it is ready.
	Restart(ctx context.Context) error
	// FailOver lets another kube-apiserver answer, whose watch cache is so many versions behind; with 0 the first one answers again.
	FailOver(ctx context.Context, versions uint64) error
	// Watches is the number of open watches, Revision the newest resourceVersion, and Compacted the one up to which there is no history.
	Watches() int
	Revision() uint64
	Compacted() uint64
}

// Options of a Life.
type Options struct {
	Seed    uint64
	Objects int     // pods at the start
	Rate    float64 // writes a second in the background
	Profile string  // one of simcluster.Profiles
	Speed   float64 // divides the profile's times
	Log     io.Writer
}

// Life makes a cluster live. Run starts it. It implements levers.Cluster. Its methods are safe for concurrent use.
type Life struct {
	options  Options
	machine  Machine
	config   *rest.Config
	client   kubernetes.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
	pods     cache.SharedIndexInformer // of their metadata
	first    uint64                    // the resourceVersion at the start
	counts   counts
	rates    chan float64 // to the background; the newest counts

	mu    sync.Mutex // held for short
	rng   *rand.Rand
	rate  float64
	crowd *crowd
	ctx   context.Context // that of Run; nil before
}

var (
	podResource   = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	errNotRunning = errors.New("the cluster has not started")
)

// New makes a Life of the cluster that config reaches.
func New(config *rest.Config, m Machine, o Options) (*Life, error) {
	l := &Life{options: o, machine: m, config: config, first: m.Revision(), rng: rand.New(rand.NewPCG(o.Seed, o.Seed)), rates: make(chan float64, 1)}
	var err error
	if l.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if l.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if l.metadata, err = metadata.NewForConfig(config); err != nil {
		return nil, err
	}
	l.pods = metadatainformer.NewFilteredMetadataInformer(l.metadata, podResource, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
	return l, nil
}

// Run makes the cluster live until ctx ends. When it returns, nothing of it runs.
func (l *Life) Run(ctx context.Context) {
	var running sync.WaitGroup
	l.mu.Lock()
	l.ctx = ctx
	l.mu.Unlock()
	running.Go(func() { l.pods.RunWithContext(ctx) })
	running.Go(func() { l.runBackground(ctx) })
	running.Go(func() { l.runProfile(ctx) })
	l.SetRate(l.options.Rate)
	running.Wait()
	_ = l.Crowd(ctx, 0)
}

// running returns the context of Run.
func (l *Life) running() (context.Context, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil {
		return nil, errNotRunning
	}
	return l.ctx, nil
}

// Pull implements levers.Cluster.
func (l *Life) Pull(ctx context.Context, verb string, a levers.Args) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return levers.Pull(ctx, l, verb, a)
}

// livePods are those of the informer that are not being deleted, by name.
func (l *Life) livePods() []*metav1.PartialObjectMetadata {
	var live []*metav1.PartialObjectMetadata
	for _, object := range l.pods.GetStore().List() {
		if pod, ok := object.(*metav1.PartialObjectMetadata); ok && pod.DeletionTimestamp == nil {
			live = append(live, pod)
		}
	}
	slices.SortFunc(live, func(a, b *metav1.PartialObjectMetadata) int { return strings.Compare(keyOf(a), keyOf(b)) })
	return live
}

func keyOf(pod *metav1.PartialObjectMetadata) string { return pod.Namespace + "/" + pod.Name }

// choose returns n of the pods by chance, one of them more than once if there are fewer.
func (l *Life) choose(pods []*metav1.PartialObjectMetadata, n int) []*metav1.PartialObjectMetadata {
	if len(pods) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	chosen := make([]*metav1.PartialObjectMetadata, n)
	for i := range chosen {
		chosen[i] = pods[l.rng.IntN(len(pods))]
	}
	return chosen
}

// Stats implements levers.Cluster.
func (l *Life) Stats(ctx context.Context) (simcluster.Stats, error) {
	objects, err := l.counts.get(ctx, l.metadata)
	if err != nil {
		return simcluster.Stats{}, err
	}
	s := simcluster.Stats{ResourceVersion: l.machine.Revision(), Objects: objects, OldestResourceVersion: map[string]uint64{},
		Writes: l.machine.Revision() - l.first, Watches: l.machine.Watches()}
	for name := range objects {
		s.OldestResourceVersion[name] = l.machine.Compacted()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Rate = l.rate
	if l.crowd != nil {
		s.Crowd = l.crowd.stats()
	}
	return s, nil
}

// countPeriod is how long counts of objects are good.
const countPeriod = time.Second

// counted are the resources whose objects are counted: those that the page offers first.
var counted = []schema.GroupVersionResource{
	podResource, {Version: "v1", Resource: "nodes"}, {Version: "v1", Resource: "services"}, {Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "namespaces"}, {Version: "v1", Resource: "serviceaccounts"}, {Version: "v1", Resource: "events"},
	{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "replicasets"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"}, {Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"}, {Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
	{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
}

// counts are the numbers of objects by resource, counted at most once in countPeriod.
type counts struct {
	asking chan struct{} // has an item while somebody counts
	once   sync.Once
	at     time.Time
	number map[string]int
}

// get returns the counts. The caller does not change them.
func (c *counts) get(ctx context.Context, client metadata.Interface) (map[string]int, error) {
	c.once.Do(func() { c.asking = make(chan struct{}, 1) })
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if time.Since(c.at) < countPeriod {
		return c.number, nil
	}
	number := map[string]int{}
	for _, r := range counted {
		page, err := client.Resource(r).List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return nil, err
		}
		n := len(page.Items)
		if page.RemainingItemCount != nil {
			n += int(*page.RemainingItemCount)
		}
		number[r.GroupResource().String()] = n
	}
	c.number, c.at = number, time.Now()
	return number, nil
}
