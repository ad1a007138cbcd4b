package controlplane

import (
	"context"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"
)

// lag makes an API server lag behind: on one socket of etcd, lists that would be of the newest revision are of an older one while the API server fills its
// watch cache, and watches bring nothing. What an API server shows of it is its own doing.
type lag struct {
	socket string

	mu       sync.Mutex
	revision int64         // of lists, while the API server starts; 0 for the newest
	released chan struct{} // closed when watches go on; nil if they are not held
}

// begin holds watches, and lets lists be of the revision.
func (l *lag) begin(revision int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision, l.released = revision, make(chan struct{})
}

// filled says that the watch caches are filled: lists are of the newest revision again.
func (l *lag) filled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision = 0
}

// end lets watches go on.
func (l *lag) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision = 0
	if l.released != nil {
		close(l.released)
		l.released = nil
	}
}

// applies reports whether a request came by the socket.
func (l *lag) applies(ctx context.Context) bool {
	p, ok := peer.FromContext(ctx)
	return ok && p.LocalAddr != nil && p.LocalAddr.String() == l.socket
}

func (l *lag) rewriteList(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if list, ok := req.(*etcdserverpb.RangeRequest); ok && len(list.RangeEnd) > 0 && list.Revision == 0 && l.applies(ctx) {
		l.mu.Lock()
		list.Revision = l.revision
		l.mu.Unlock()
	}
	return next(ctx, req)
}

func (l *lag) holdWatch(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if info.FullMethod == "/etcdserverpb.Watch/Watch" && l.applies(stream.Context()) {
		stream = &heldStream{stream, l}
	}
	return next(server, stream)
}

type heldStream struct {
	grpc.ServerStream
	lag *lag
}

// SendMsg implements grpc.ServerStream. Only what a watch brings is held, not that it was created.
func (s *heldStream) SendMsg(m any) error {
	if answer, ok := m.(*etcdserverpb.WatchResponse); ok && !answer.Created && !answer.Canceled {
		s.lag.mu.Lock()
		released := s.lag.released
		s.lag.mu.Unlock()
		if released != nil {
			select {
			case <-released:
			case <-s.Context().Done():
				return s.Context().Err()
			}
		}
	}
	return s.ServerStream.SendMsg(m)
}
