//go:build !js

package informer

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/types"
	clientgo "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/consistencydetector"

	"informerscope/core/words/releases"
)

// TestWatchListConsistency compares requests and result with client-go's for a LIST that agrees, one that fails at first, and one that differs.
func TestWatchListConsistency(t *testing.T) {
	uid := func(o *object) *object { o.UID = types.UID("uid-" + o.Name); return o }
	a, b := func() *object { return uid(obj("a", "1")) }, func() *object { return uid(obj("b", "2")) }
	transform := func(o any) (any, error) {
		c := o.(*object).DeepCopy()
		c.Labels = map[string]string{"app": "t"}
		return c, nil
	}
	for name, c := range map[string]struct {
		rv        string
		lists     []reply
		transform TransformFunc
		panics    bool
	}{
		"agrees":      {"5", []reply{{list: list("5", b(), a())}}, nil, false},
		"transformed": {"5", []reply{{list: list("5", b(), a())}}, transform, false},
		"late":        {"5", []reply{{err: errInternal()}, {err: errors.New("gone")}, {list: list("5", a(), b())}}, nil, false},
		"version 0":   {"0", nil, nil, false},
		"differs":     {"5", []reply{{list: list("5", a(), uid(obj("b", "3")))}}, nil, true},
		"one less":    {"5", []reply{{list: list("5", a())}}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			play := func(t *testing.T, run func(srv *server)) (log []string) {
				srv := newServer(c.lists, []reply{initial(c.rv, a(), b()), {}})
				func() {
					defer func() {
						if r := recover(); r != nil {
							log = append(log, fmt.Sprint("panic ", r))
						}
					}()
					run(srv)
				}()
				return append(log, srv.requests()...)
			}
			var got, want []string
			setRelease(t, releases.V135)
			defer consistencydetector.SetDataConsistencyDetectionForWatchListEnabledForTest(true)()
			consistencyCheckWanted = true
			defer func() { consistencyCheckWanted = false }()
			synctest.Test(t, func(t *testing.T) {
				got = play(t, func(srv *server) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					store := &stopping{NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Transformer: c.transform}), cancel}
					r := NewReflectorWithOptions(srv.lw(), &object{}, store, ReflectorOptions{Name: "r", Release: releases.V135})
					_ = r.ListAndWatchWithContext(ctx)
				})
			})
			synctest.Test(t, func(t *testing.T) {
				want = play(t, func(srv *server) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					lw := &clientgo.ListWatch{ListWithContextFunc: srv.listWithContext, WatchFuncWithContext: srv.watchWithContext}
					store := &theirStopping{clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{AtomicEvents: true, Transformer: clientgo.TransformFunc(c.transform)}),
						cancel}
					r := clientgo.NewReflectorWithOptions(lw, &object{}, store, clientgo.ReflectorOptions{Name: "r"})
					_ = r.ListAndWatchWithContext(ctx)
				})
			})
			equal(t, "requests", got, want)
			if panicked := got[0] == "panic data inconsistency detected for r, panicking!"; panicked != c.panics {
				t.Errorf("%q", got)
			}
		})
	}
}

// stopping cancels the Reflector once it has its list.
type stopping struct {
	*RealFIFO
	cancel context.CancelFunc
}

func (s *stopping) Replace(objs []any, rv string) error {
	defer s.cancel()
	return s.RealFIFO.Replace(objs, rv)
}

type theirStopping struct {
	*clientgo.RealFIFO
	cancel context.CancelFunc
}

func (s *theirStopping) Replace(objs []any, rv string) error {
	defer s.cancel()
	return s.RealFIFO.Replace(objs, rv)
}
