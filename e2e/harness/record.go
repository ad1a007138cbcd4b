package harness

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
	"informerscope/e2e/browser"
)

// Recording is informerscope.record() as core/log/trace reads it.
func Recording(ctx context.Context, p *browser.Page) ([]event.Entry, error) {
	text, err := browser.Eval[string](ctx, p, `(async () => (await informerscope.record()).text)()`)
	if err != nil {
		return nil, err
	}
	_, events, warning, err := tracetest.Read(strings.NewReader(text), tracefile.ReadOptions{
		// As the page reads it, with the weight of objects.
		DecodeObject: func(raw []byte) (any, error) { return object.Parse(raw) },
	})
	if err == nil {
		err = warning
	}
	return events, err
}

// InStore folds a recording to what the Indexer holds: resourceVersions by key.
func InStore(events []event.Entry) map[string]string {
	f := fold.NewFold()
	for i := range events {
		f.Apply(&events[i])
	}
	held := map[string]string{}
	f.Objects(0).Range(func(c *fold.Cell) bool {
		held[c.Key] = c.RV
		return true
	})
	return held
}

// InCluster asks the API server for all pods: resourceVersions by key, and how many there are in each namespace.
func InCluster(ctx context.Context, client kubernetes.Interface) (pods map[string]string, namespaces map[string]int, err error) {
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	pods, namespaces = map[string]string{}, map[string]int{}
	for _, pod := range list.Items {
		pods[pod.Namespace+"/"+pod.Name] = pod.ResourceVersion
		namespaces[pod.Namespace]++
	}
	return pods, namespaces, nil
}

// HasExpired reports whether the Reflector received a 410 after seq.
func HasExpired(events []event.Entry, seq uint64) bool {
	for i := range events {
		e := &events[i]
		if e.Seq > seq && (e.Kind == event.KindWatchClosed || e.Kind == event.KindRequestAnswered) && e.Err() != nil &&
			(apierrors.IsResourceExpired(e.Err()) || apierrors.IsGone(e.Err()) || strings.Contains(e.Err().Error(), "too old resource version")) {
			return true
		}
	}
	return false
}
