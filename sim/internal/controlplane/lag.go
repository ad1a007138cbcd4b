package controlplane

import (
	"context"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"
)

// lag makes an API server lag behind: on one socket of etcd an older revision is the newest one while the API server fills its watch cache, and watches
// bring nothing. What the API server makes of it is its own doing.
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

// rewrite lets a list of the newest revision be of the older one. It returns the revision that the answer names as the newest, 0 for the true one. A get
// brings the newest object, because the API server writes what it has got.
func (l *lag) rewrite(message any) int64 {
	read, ok := message.(*etcdserverpb.RangeRequest)
	if !ok || read.Revision != 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(read.RangeEnd) > 0 {
		read.Revision = l.revision
	}
	return l.revision
}

// date lets an answer say that its revision was the newest; 0 leaves it as it is.
func date(header *etcdserverpb.ResponseHeader, revision int64) {
	if header != nil && revision > 0 {
		header.Revision = revision
	}
}

func (l *lag) interceptUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if !l.applies(ctx) {
		return next(ctx, req)
	}
	revision := l.rewrite(req)
	answer, err := next(ctx, req)
	if list, ok := answer.(*etcdserverpb.RangeResponse); ok {
		date(list.GetHeader(), revision)
	}
	return answer, err
}

func (l *lag) interceptStream(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if l.applies(stream.Context()) {
		stream = &laggingStream{ServerStream: stream, lag: l}
	}
	return next(server, stream)
}

type laggingStream struct {
	grpc.ServerStream
	lag      *lag
	revision int64 // of the list that it answers; 0 for the newest
}

// RecvMsg implements grpc.ServerStream. A list may come as a stream too.
func (s *laggingStream) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	if err == nil {
		s.revision = s.lag.rewrite(m)
	}
	return err
}

// SendMsg implements grpc.ServerStream. Only what a watch brings is held, not that it was created.
func (s *laggingStream) SendMsg(m any) error {
	switch answer := m.(type) {
	case *etcdserverpb.RangeStreamResponse:
		date(answer.GetRangeResponse().GetHeader(), s.revision)
	case *etcdserverpb.WatchResponse:
		if answer.Created || answer.Canceled {
			break
		}
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
