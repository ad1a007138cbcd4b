package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
)

// etcdPatience is how long etcd may take until it serves. A large directory that was killed takes some seconds.
const etcdPatience = time.Minute

// database is etcd. Its sockets are files, so that no other user of the machine reaches it.
type database struct {
	*embed.Etcd
	// lag holds what API servers on the second socket get of watches.
	lag lag
	// current and old are the sockets' addresses: the one of the API server, and the one of an API server that lags behind.
	current, old string
}

// startEtcd starts etcd in the directory data, with its sockets in the directory run. Only a durable one waits for the disk at each write.
func startEtcd(ctx context.Context, data, run string, durable bool) (*database, error) {
	d := &database{current: "unix://" + filepath.Join(run, "etcd.sock"), old: "unix://" + filepath.Join(run, "old.sock")}
	d.lag.socket = filepath.Join(run, "old.sock")
	cfg := embed.NewConfig()
	cfg.Dir = filepath.Join(data, "etcd")
	cfg.UnsafeNoFsync = !durable
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.New(zapcore.NewNopCore(), zap.WithFatalHook(fatal{run})))
	cfg.TickMs, cfg.ElectionMs = 10, 50
	cfg.QuotaBackendBytes = 8 << 30
	cfg.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainUnaryInterceptor(d.lag.interceptUnary), grpc.ChainStreamInterceptor(d.lag.interceptStream)}
	cfg.ListenClientUrls = addresses(d.current, d.old)
	cfg.AdvertiseClientUrls = addresses(d.current)
	cfg.ListenPeerUrls = addresses("unix://" + filepath.Join(run, "peer.sock"))
	cfg.AdvertisePeerUrls = addresses("unix://peer") // the same over restarts, whatever run is: it is the only member
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	d.Etcd = e
	ctx, cancel := context.WithTimeout(ctx, etcdPatience)
	defer cancel()
	select {
	case <-e.Server.ReadyNotify():
		return d, nil
	case err = <-e.Err():
	case <-e.Server.StopNotify():
		err = errors.New("it ended while it started")
	case <-ctx.Done():
		err = fmt.Errorf("it was not ready: %w", ctx.Err())
	}
	e.Close()
	return nil, fmt.Errorf("etcd: %w", err)
}

// fatal ends the process with the reason when etcd cannot go on, as with a full disk. etcd holds locks then: nothing can close it.
type fatal struct{ run string }

// OnWrite implements zapcore.CheckWriteHook.
func (f fatal) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	reason := "etcd: " + entry.Message
	for _, field := range fields {
		if err, ok := field.Interface.(error); ok {
			reason += ": " + err.Error()
		}
	}
	_, _ = fmt.Fprintln(os.Stderr, "informerscope-sim:", reason)
	_ = os.RemoveAll(f.run)
	os.Exit(1)
}

// addresses parses addresses that are known to be right.
func addresses(texts ...string) []url.URL {
	var all []url.URL
	for _, text := range texts {
		u, err := url.Parse(text)
		if err != nil {
			panic(err)
		}
		all = append(all, *u)
	}
	return all
}

// wait returns when ctx ends, or when etcd has ended by itself, with the reason.
func (d *database) wait(ctx context.Context) error {
	select {
	case err := <-d.Err():
		return err
	case <-d.Server.StopNotify():
		return errors.New("the server stopped")
	case <-ctx.Done():
		return nil
	}
}

// revision is the newest revision, which is the newest resourceVersion.
func (d *database) revision() int64 { return d.Server.KV().Rev() }

// compacted is the revision up to which there is no history, 0 if there is all of it.
func (d *database) compacted() int64 { return max(0, d.Server.KV().FirstRev()) }

// compact drops the history up to now.
func (d *database) compact(ctx context.Context) error {
	revision := d.revision()
	if revision <= d.compacted() {
		return nil // etcd would answer with an error
	}
	_, err := d.Server.Compact(ctx, &etcdserverpb.CompactionRequest{Revision: revision, Physical: true})
	return err
}
