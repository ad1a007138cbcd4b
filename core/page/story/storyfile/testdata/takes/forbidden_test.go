package take

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// TestRunUntilSynced: a 403 ends the wait at once, a refused connection at the deadline, and a list when it comes.
func TestRunUntilSynced(t *testing.T) {
	utilruntime.ErrorHandlers = nil // they keep the time of the last error, which no bubble of fake time survives
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for name, x := range map[string]struct {
		answer error
		check  func(error) bool
		took   func(time.Duration) bool
	}{
		"forbidden": {forbidden, apierrors.IsForbidden, func(d time.Duration) bool { return d < 5*time.Second }},
		"refused": {refused, func(err error) bool { return err != nil && strings.Contains(err.Error(), "no list in time") },
			func(d time.Duration) bool { return d >= time.Minute }},
		"listed": {nil, func(err error) bool { return err == nil }, func(d time.Duration) bool { return d < 5*time.Second }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer func() {
					cancel()
					synctest.Wait()
				}()
				informer := cache.NewSharedIndexInformer(lists{&cache.ListWatch{
					ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
						return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, x.answer
					},
					WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
				}}, &corev1.Pod{}, 0, nil)
				began := time.Now()
				err := runUntilSynced(ctx, informer, time.Minute)
				if took := time.Since(began); !x.check(err) || !x.took(took) {
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

// lists makes an informer begin with a LIST.
type lists struct{ *cache.ListWatch }

func (lists) IsWatchListSemanticsUnSupported() bool { return true }
