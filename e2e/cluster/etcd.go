package cluster

import (
	"context"
	"fmt"
)

// CompactEtcd compacts etcd's history up to its present revision, and returns that revision. An older revision can then be watched only through the
// watch cache of an API server that ran before, which [ControlPlane.RestartAPIServer] empties. Together they make every older resourceVersion answer
// 410.
func (cp *ControlPlane) CompactEtcd(ctx context.Context) (int64, error) {
	var at struct {
		Header struct {
			Revision int64 `json:"revision,string"`
		} `json:"header"`
	}
	// Any read returns the revision; the key "\x00" never exists.
	if err := postJSON(ctx, cp.etcdURL+"/v3/kv/range", map[string]any{"key": "AA=="}, &at); err != nil {
		return 0, fmt.Errorf("asking etcd for its revision: %w", err)
	}
	var done struct{}
	// physical waits until the history is really gone from the database.
	in := map[string]any{"revision": fmt.Sprint(at.Header.Revision), "physical": true}
	if err := postJSON(ctx, cp.etcdURL+"/v3/kv/compaction", in, &done); err != nil {
		return 0, fmt.Errorf("compacting etcd to %d: %w", at.Header.Revision, err)
	}
	return at.Header.Revision, nil
}
