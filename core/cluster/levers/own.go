package levers

import (
	"context"
	"time"

	"informerscope/core/cluster/simcluster"
)

// restartTime is how long the API server of a simulated cluster is away when it restarts.
const restartTime = 3 * time.Second

// Own makes a simulated cluster of this process a Cluster and a Target.
func Own(c *simcluster.Cluster) OwnCluster { return OwnCluster{c} }

// OwnCluster is a simulated cluster of this process. Its methods return at once, whatever their context.
type OwnCluster struct{ cluster *simcluster.Cluster }

// Pull implements Cluster.
func (o OwnCluster) Pull(ctx context.Context, verb string, a Args) (string, error) {
	return Pull(ctx, o, verb, a)
}

// Stats implements Cluster.
func (o OwnCluster) Stats(context.Context) (simcluster.Stats, error) { return o.cluster.Stats(), nil }

// The other methods implement Target.

func (o OwnCluster) Do(ctx context.Context, method, path string, body, answer any) error {
	return o.cluster.Do(ctx, method, path, body, answer)
}

func (o OwnCluster) CreateDeployment(_ context.Context, namespace, name string, replicas int) error {
	return o.cluster.CreateDeployment(namespace, name, replicas)
}

func (o OwnCluster) Scale(_ context.Context, namespace, name string, replicas int) error {
	return o.cluster.Scale(namespace, name, replicas)
}

func (o OwnCluster) RestartDeployment(_ context.Context, namespace, name string) error {
	return o.cluster.RestartDeployment(namespace, name)
}

func (o OwnCluster) DeleteRandomPod(context.Context) (namespace, name string, err error) {
	return o.cluster.DeleteRandomPod()
}

func (o OwnCluster) LabelPod(_ context.Context, key, label string) (string, error) {
	return o.cluster.LabelPod(key, label)
}

func (o OwnCluster) AddFinalizers(_ context.Context, n int) error { return o.cluster.AddFinalizers(n) }

func (o OwnCluster) RemoveFinalizers(context.Context) error { return o.cluster.RemoveFinalizers() }

func (o OwnCluster) Burst(_ context.Context, n int) error { return o.cluster.Burst(n) }

func (o OwnCluster) SetRate(rate float64) { o.cluster.SetRate(rate) }

func (o OwnCluster) Crowd(_ context.Context, n int) error {
	o.cluster.Crowd(n)
	return nil
}

func (o OwnCluster) Compact(context.Context) (string, error) {
	o.cluster.Compact()
	return "compacted the watch history", nil
}

func (o OwnCluster) Expire(context.Context) (string, error) {
	o.cluster.Expire()
	return "ended every watch of pods with 410 Expired", nil
}

func (o OwnCluster) IgnoreShards(_ context.Context, ignores bool) error {
	o.cluster.IgnoreShards(ignores)
	return nil
}

func (o OwnCluster) FailOver(_ context.Context, versions uint64) error {
	o.cluster.FailOver(versions)
	return nil
}

func (o OwnCluster) Restart(context.Context) error {
	o.cluster.Restart(restartTime)
	return nil
}
