// Command probedalone is a small controller without a cluster, with a probe in it. It prints what the probe knows of it, as JSON, and fails
// where the controller itself did not work. The test builds it with a client-go whose private fields have other names.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	source "k8s.io/client-go/tools/cache/testing"

	"example.org/informerscope/probe"
)

// objects is how many are added, changed and deleted.
const objects = 50

// cluster is client-go's own source for tests, which knows lists and watches.
type cluster struct{ *source.FakeControllerSource }

// IsWatchListSemanticsUnSupported is asked by the Reflector.
func (cluster) IsWatchListSemanticsUnSupported() bool { return true }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func object(i int, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("o", i)}, Data: map[string]string{"is": value, "drop": "x"}}
}

func run() error {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	until := func(what string, met func() bool) error {
		for !met() {
			select {
			case <-ctx.Done():
				return fmt.Errorf("still not: %s", what)
			case <-time.After(5 * time.Millisecond):
			}
		}
		return nil
	}
	from := source.NewFakeControllerSource()
	inf := cache.NewSharedIndexInformer(cluster{from}, &corev1.ConfigMap{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	// The controller's own transform must be there whatever the probe can do.
	if err := inf.SetTransform(func(obj any) (any, error) {
		if cm, ok := obj.(*corev1.ConfigMap); ok {
			cm = cm.DeepCopy()
			delete(cm.Data, "drop")
			return cm, nil
		}
		return obj, nil
	}); err != nil {
		return err
	}
	var handled atomic.Int64
	count := func(any) { handled.Add(1) }
	for i := 0; i < 2; i++ {
		h := cache.ResourceEventHandlerFuncs{AddFunc: count, UpdateFunc: func(_, obj any) { count(obj) }, DeleteFunc: count}
		if _, err := inf.AddEventHandler(h); err != nil {
			return err
		}
	}
	p := probe.New(probe.Options{})
	inf, err := p.Informer(corev1.SchemeGroupVersion.WithResource("configmaps"), inf)
	if err != nil {
		return err
	}
	go inf.Run(ctx.Done())
	if err := until("synced", inf.HasSynced); err != nil {
		return err
	}

	srv := httptest.NewServer(p.Handler())
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/debug/informerscope/stream")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	in := bufio.NewReaderSize(resp.Body, 1<<20)
	var header struct {
		Selection struct {
			Releases []string `json:"eras"`
		}
	}
	if err := read(in, &header); err != nil {
		return err
	}

	for i := 0; i < objects; i++ {
		from.Add(object(i, "new"))
	}
	for i := 0; i < objects; i++ {
		from.Modify(object(i, "changed"))
	}
	for i := 1; i < objects; i++ {
		from.Delete(object(i, "changed"))
	}
	if err := until("handled", func() bool { return handled.Load() == 2*(3*objects-1) }); err != nil {
		return fmt.Errorf("%w: %d calls", err, handled.Load())
	}
	left := inf.GetStore().List()
	if len(left) != 1 {
		return fmt.Errorf("the store has %d objects", len(left))
	}
	if data := left[0].(*corev1.ConfigMap).Data; len(data) != 1 || data["is"] != "changed" {
		return fmt.Errorf("the controller's own transform is gone: %v", data)
	}

	out := struct {
		Release string
		Kinds   map[string]int
		Rings   bool // a sample shows that a ring has grown
		Off     map[string]string
	}{Kinds: map[string]int{}}
	out.Release = header.Selection.Releases[0]
	p.Note("the end")
	for end := false; !end || out.Kinds["Sampled"] == 0; {
		var l struct {
			K, Txt  string
			Release string `json:"era"`
		}
		if err := read(in, &l); err != nil {
			return err
		}
		out.Kinds[l.K]++
		if l.Release != "" {
			out.Release = l.Release
		}
		if l.K == "Sampled" {
			var s struct{ Listeners []any }
			if err := json.Unmarshal([]byte(l.Txt), &s); err != nil {
				return err
			}
			out.Rings = out.Rings || len(s.Listeners) == 2
		}
		end = end || l.K == "Note" && l.Txt == "the end"
	}
	list, err := http.Get(srv.URL + "/debug/informerscope/")
	if err != nil {
		return err
	}
	defer list.Body.Close()
	var known struct {
		Informers []struct{ Off map[string]string }
	}
	if err := json.NewDecoder(list.Body).Decode(&known); err != nil {
		return err
	}
	out.Off = known.Informers[0].Off
	return json.NewEncoder(os.Stdout).Encode(out)
}

func read(in *bufio.Reader, into any) error {
	text, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
