//go:build linux

package relay_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

// TestReliabilityMinutes plays the faults that take minutes with client-go's own timeouts, which are not shortened here.
func TestReliabilityMinutes(t *testing.T) {
	if !*allFaults {
		t.Skip("takes minutes: make reliability, make judges")
	}
	m := newMatrix(t, false)
	m.play(minutesFaults)
}

// minutesFaults have no other bounds than those of client-go.
var minutesFaults = []fault{
	{name: "API server frozen for a minute", run: func(m *matrix) {
		began := time.Now()
		m.signal(m.cp.SignalAPIServer, syscall.SIGSTOP)
		m.says("frozen", "has stopped answering: no sign of life for 45 s")
		time.Sleep(time.Minute - time.Since(began)) // the fault must last this long
		m.signal(m.cp.SignalAPIServer, syscall.SIGCONT)
		m.recovers()
	}},
	{name: "half-open connection to the API server", run: func(m *matrix) {
		m.far.halfOpen()
		m.write()
		m.says("frozen", "has stopped answering: no sign of life for 45 s")
		m.recovers()
	}},
	{name: "a large namespace, and the API server restarted", run: largeNamespace},
}

const (
	largeObjects = 20000
	largeBytes   = 3 << 10
	largeRate    = 300 // updates a second
	largeFor     = 40 * time.Second
)

// largeNamespace updates twenty thousand objects of 3 KB three hundred times a second. The API server is killed and started again half way.
func largeNamespace(m *matrix) {
	t, ctx := m.t, m.t.Context()
	const name = "large"
	if _, err := m.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	data := strings.Repeat("0123456789abcdef", largeBytes/16)
	began := time.Now()
	if err := cluster.Parallel(largeObjects, func(i int) error {
		_, err := m.client.CoreV1().ConfigMaps(name).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("object-%05d", i)},
			Data: map[string]string{"text": data}}, metav1.CreateOptions{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d objects of %d bytes made in %s", largeObjects, largeBytes, time.Since(began).Round(time.Second))
	m.gvr, m.ns = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, name
	defer func() { m.gvr, m.ns = podsGVR, "" }()
	harness.Call(t, m.p, "select({source: 'live', context: %q, group: '', version: 'v1', resource: 'configmaps', namespace: %q, era: '1.37'})",
		cluster.ContextName, name)
	harness.Await(t, m.p, 5*time.Minute, "%s && s.indexer.count === %d", harness.WellState, largeObjects)

	writing, end := context.WithTimeout(ctx, largeFor)
	defer end()
	var written, refused atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Second / largeRate)
		defer tick.Stop()
		for i := 0; ; i += 10 {
			select {
			case <-writing.Done():
				return
			case <-tick.C:
			}
			_ = cluster.Parallel(10, func(j int) error {
				text := fmt.Appendf(nil, `{"metadata":{"labels":{"round":"%d"}}}`, i)
				_, err := m.client.CoreV1().ConfigMaps(name).Patch(writing, fmt.Sprintf("object-%05d", (i+j)*7919%largeObjects),
					types.MergePatchType, text, metav1.PatchOptions{})
				if err != nil {
					refused.Add(1) // while the API server is down
					return nil
				}
				written.Add(1)
				return nil
			})
		}
	}()
	began = time.Now()
	for written.Load() < largeRate*int64(largeFor/time.Second)/4 && writing.Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	m.killAPIServer()
	m.says("refused", "refuses the connection")
	m.startAPIServer()
	<-done
	t.Logf("%d updates in %s, %d not made while the API server was away", written.Load(), time.Since(began).Round(time.Second), refused.Load())
	began = time.Now()
	harness.ExpectNothingLost(t, m.cp, m.p, m.gvr, name, 1, 5*time.Minute)
	t.Logf("nothing is lost %s after the last update", time.Since(began).Round(100*time.Millisecond))
	t.Logf("the page's memory: %+v", harness.EvalIn[string](t, m.p, "informerscope.state().then((s) => JSON.stringify(s.view.memory))"))
}
