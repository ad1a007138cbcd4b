//go:build linux

package harness

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
)

// listObjects asks the API server for the objects of a resource: their current resourceVersions by key (a list without a resourceVersion is answered from
// etcd).
func listObjects(ctx context.Context, cp *cluster.ControlPlane, gvr schema.GroupVersionResource, namespace string) (map[string]string, error) {
	client, err := metadata.NewForConfig(cp.Config())
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	list := metav1.ListOptions{Limit: 2000}
	for {
		page, err := client.Resource(gvr).Namespace(namespace).List(ctx, list)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			key := page.Items[i].Name
			if page.Items[i].Namespace != "" {
				key = page.Items[i].Namespace + "/" + key
			}
			out[key] = page.Items[i].ResourceVersion
		}
		if list.Continue = page.Continue; list.Continue == "" {
			return out, nil
		}
	}
}

// PackedRecording is informerscope.record(), compressed by the browser: a log may have a hundred megabytes.
func PackedRecording(ctx context.Context, p *browser.Page) ([]event.Entry, error) {
	text, err := browser.Eval[string](ctx, p, `(async () => {
		const {text} = await informerscope.record();
		const packed = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
		return await new Promise((done, failed) => {
			const reader = new FileReader();
			reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
			reader.onerror = () => failed(reader.error);
			reader.readAsDataURL(packed);
		});
	})()`)
	if err != nil {
		return nil, err
	}
	_, events, warning, err := tracetest.Read(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)), tracefile.ReadOptions{})
	if err == nil {
		err = warning
	}
	return events, err
}

// ExpectNothingLost waits until each lane's store holds exactly what the API server has, version by version, and each of its handlers was notified of
// exactly that last. The cluster must be quiet. Where they differ it checks again each time the log has grown.
func ExpectNothingLost(t *testing.T, cp *cluster.ControlPlane, p *browser.Page, gvr schema.GroupVersionResource, namespace string, lanes int, d time.Duration) {
	t.Helper()
	ExpectNothingLostUnder(t, cp, p, gvr, namespace, lanes, d, WellState)
}

// ExpectNothingLostUnder is expectNothingLost with a condition on a state s; it checks only while that holds.
func ExpectNothingLostUnder(t *testing.T, cp *cluster.ControlPlane, p *browser.Page, gvr schema.GroupVersionResource, namespace string,
	lanes int, d time.Duration,
	condition string) {
	t.Helper()
	ctx := Timeout(t, d)
	want, err := listObjects(ctx, cp, gvr, namespace)
	if err != nil {
		t.Fatal(err)
	}
	for {
		state, err := p.WaitState(ctx, condition+fmt.Sprintf(" && %s.length === %d && %[1]s.every((l) => l.indexer.count === %[3]d)",
			LanesOf, lanes, len(want)))
		if err != nil {
			t.Fatal(err)
		}
		events, err := PackedRecording(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		trouble := ""
		for lane := range lanes {
			if words := tracetest.DescribeLost(events, uint8(lane), want); words != "" {
				trouble = fmt.Sprintf("lane %d: %s", lane, words)
				break
			}
		}
		if trouble == "" {
			t.Logf("%d objects, %d lanes, %d events: nothing is lost", len(want), lanes, len(events))
			return
		}
		if _, err := p.WaitState(ctx, fmt.Sprintf("s.view.head > %d", state.View.Head)); err != nil {
			t.Fatalf("the cluster has it, and not the page: %s (%v)", trouble, err)
		}
	}
}

// LanesOf are the informers of a state s.
const LanesOf = "(s.lanes?.length ? s.lanes : [s])"

// WellState is true of a state s of a live cluster without a trouble or an event on its way.
const WellState = "s.source.kind === 'live' && !s.source.trouble && !s.source.cause && " + LanesOf + `.every((l) => l.reflector.phase === 'watching' &&
	l.queue.synced && l.queue.depth === 0 && l.listeners.length >= 3 && l.listeners.every((x) => x.synced && x.pending === 0 && x.handled === x.delivered))`
