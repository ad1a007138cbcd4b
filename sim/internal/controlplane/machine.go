package controlplane

import (
	"context"
	"errors"
	"fmt"
)

// Watches is the number of open watches, those of the components too.
func (c *Cluster) Watches() int { return int(c.watches.Load()) }

// Revision is the newest resourceVersion.
func (c *Cluster) Revision() uint64 { return uint64(c.etcd.revision()) }

// Compacted is the resourceVersion up to which etcd has dropped the history, by Compact or because kube-apiserver told it to; 0 if it has all of it.
func (c *Cluster) Compacted() uint64 { return uint64(c.etcd.compacted()) }

// Compact lets etcd drop the history up to now. kube-apiserver still has versions in its watch cache: a watch from an older one gets 410 Expired once
// the API server has started again.
func (c *Cluster) Compact(ctx context.Context) error {
	return c.etcd.compact(ctx)
}

// CutConnections closes every connection of clients to the API server, not those of the components.
func (c *Cluster) CutConnections() { c.clients.cut() }

// cut closes every connection.
func (c *Cluster) cut() {
	for _, f := range []*front{c.clients, c.own, c.oldFront} {
		if f != nil {
			f.cut()
		}
	}
}

// Restart ends kube-apiserver and starts it again, and returns when it is ready. Every connection ends with it.
func (c *Cluster) Restart(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.endOldLocked(); err != nil {
		return err
	}
	c.clients.point(nil)
	c.own.point(nil)
	err := c.server.end(c.cut)
	if err == nil {
		err = c.startServer(ctx)
	}
	if err != nil {
		c.fail("kube-apiserver", err)
	}
	return err
}

// FailOver lets another kube-apiserver answer clients, whose watch cache is so many versions behind the newest; with 0 the first one answers again. The
// components stay with the first one. The connections of clients end.
func (c *Cluster) FailOver(ctx context.Context, versions uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if versions == 0 {
		c.clients.point(c.server.handed)
		c.clients.cut()
		return c.endOldLocked()
	}
	newest := c.Revision()
	if oldest := c.Compacted() + 1; versions+oldest >= newest {
		return fmt.Errorf("etcd has no version that is %d behind: the history begins at %d, and the newest version is %d", versions, oldest, newest)
	}
	c.clients.point(c.server.handed) // it answers meanwhile, and if the other one does not start
	c.clients.cut()
	if err := c.endOldLocked(); err != nil {
		return err
	}
	c.etcd.lag.begin(int64(newest - versions))
	private, err := newFront()
	if err != nil {
		return err
	}
	listener := newHanded(private.Addr())
	private.point(listener)
	c.oldFront = private
	old, err := c.startAPIServer(ctx, c.etcd.old, listener)
	c.etcd.lag.filled()
	if err != nil {
		return errors.Join(err, c.endOldLocked())
	}
	c.old = old
	c.clients.point(listener)
	c.clients.cut()
	return nil
}

// endOldLocked ends the API server that lags behind, if there is one.
func (c *Cluster) endOldLocked() (err error) {
	c.etcd.lag.end()
	if c.old != nil {
		err = c.old.end(c.cut)
		c.old = nil
	}
	if c.oldFront != nil {
		c.oldFront.end()
		c.oldFront = nil
	}
	return err
}
