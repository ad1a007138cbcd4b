package lab

import (
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/words/event"
)

// followClusterLocked logs what the page's own cluster holds of what the lanes watch, and from then on each change, with the selectors of their informers. A
// lane that gets a new informer is followed again.
func (x *experiment) followClusterLocked(lanes ...*lane) {
	cluster := x.lab.src.cluster
	if cluster == nil { // what is written to another cluster is not known
		return
	}
	for _, ln := range lanes {
		if end := x.unfollow[ln.index]; end != nil {
			end()
		}
		end, ok := cluster.Follow(ln.gvr.GroupResource(), x.selection.ForTarget(ln.target.Target).WatchedNamespace(),
			x.keeps(ln, cluster), simcluster.Follower{
				Begin: func(versions []simcluster.Version) { x.emit(ln.index, clusterObjects(versions)) },
				Change: func(typ watch.EventType, v simcluster.Version) {
					x.emit(ln.index, event.ClusterChange{Op: changeOps[typ], Key: v.Key, RV: v.RV, Unsent: !v.Sent}.Event())
				},
			})
		if ok {
			x.unfollow[ln.index] = end
		}
	}
}

var changeOps = map[watch.EventType]event.Op{watch.Added: event.OpAdded, watch.Modified: event.OpUpdated, watch.Deleted: event.OpDeleted}

// clusterObjects returns the event of what a cluster holds.
func clusterObjects(versions []simcluster.Version) event.Event {
	x := event.ClusterObjects{Items: make([]event.Item, 0, len(versions))}
	for _, isSent := range []bool{true, false} {
		for _, v := range versions {
			if v.Sent == isSent {
				x.Items = append(x.Items, event.Item{Key: v.Key, RV: v.RV})
			}
		}
		if isSent {
			x.Sent = len(x.Items)
		}
	}
	return x.Event()
}
