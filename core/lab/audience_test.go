package lab

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
)

func TestAPageOfAnAudienceActsOnNothing(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := New(Options{Recorder: rec, Audience: true, Dial: func(context.Context) (net.Conn, error) {
		t.Error("a connection was opened")
		return nil, errors.New("no")
	}})
	defer l.Close()
	ctx := t.Context()
	for name, try := range map[string]func() error{
		"select": func() error {
			_, err := l.Select(ctx, selection.Change{Source: ptr("live"), Context: ptr("kind")})
			return err
		},
		"fault":          func() error { _, err := l.Informer(0).Fault("cut", FaultArgs{}); return err },
		"hold":           func() error { return l.Informer(0).Hold("pop", 0) },
		"release":        func() error { return l.Informer(0).Release("pop", 1, 0) },
		"addListener":    func() error { _, err := l.Informer(0).AddListener(ListenerSpec{Name: "x"}); return err },
		"removeListener": func() error { return l.Informer(0).RemoveListener(1) },
		"pace":           func() error { return l.Informer(0).Pace(1, 10) },
		"panic":          func() error { return l.Informer(0).Panic(1) },
		"cluster":        func() error { _, err := l.Cluster("burst", ClusterArgs{N: 1}); return err },
		"writes":         func() error { _, err := l.Writes(nil, ""); return err },
		"addIndex":       func() error { return l.Informer(0).AddIndex("a", "label:app") },
		"load":           func() error { _, err := l.Load(strings.NewReader("{}")); return err },
		"resources":      func() error { _, err := l.Resources(ctx); return err },
		"namespaces":     func() error { _, err := l.Namespaces(ctx); return err },
	} {
		if err := try(); !errors.Is(err, ErrAudience) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if src := l.Sources(ctx); src.Sim || src.Live.Error == "" {
		t.Errorf("sources: %+v", src)
	}
	if head, _ := rec.Head(); head != 0 {
		t.Errorf("the log has %d events", head)
	}
}
