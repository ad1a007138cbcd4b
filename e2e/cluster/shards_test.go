package cluster_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"informerscope/core/cluster/simcluster"
	"informerscope/e2e/cluster"
)

const (
	shardPods       = 60
	shardNamespaces = 12
)

// shardsOf returns shard selectors that split a field's hashes into a quarter, a half and a quarter, and one for both quarters.
func shardsOf(field string) []string {
	ranges := []string{
		fmt.Sprintf("shardRange(object.metadata.%s, '0x0000000000000000', '0x4000000000000000')", field),
		fmt.Sprintf("shardRange(object.metadata.%s, '0x4000000000000000', '0xc000000000000000')", field),
		fmt.Sprintf("shardRange(object.metadata.%s, '0xc000000000000000', '0x10000000000000000')", field),
	}
	return append(ranges, ranges[0]+" || "+ranges[2])
}

// hashIn reports whether the hash of a value is in the shard with that number among shardsOf.
func hashIn(shard int, value string) bool {
	h := fnv.New64a()
	h.Write([]byte(value))
	quarter := h.Sum64() / (math.MaxUint64/4 + 1)
	return [...]bool{quarter == 0, quarter == 1 || quarter == 2, quarter == 3, quarter == 0 || quarter == 3}[shard]
}

// shardNamespace returns the namespace of a pod. Names that differ in their last two characters alone have nearly the same FNV-1a hash.
func shardNamespace(pod int) string { return fmt.Sprintf("%c-namespace", 'a'+pod%shardNamespaces) }

// sharded is an API server with shardPods pods in shardNamespaces namespaces.
type sharded struct {
	t      *testing.T
	client *http.Client
	url    string
	pods   kubernetes.Interface
}

func newSharded(t *testing.T, config *rest.Config) *sharded {
	t.Helper()
	config.QPS = -1 // the client's own limit would take minutes
	hc, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for i := range shardNamespaces {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shardNamespace(i)}}
		if _, err := client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := cluster.Parallel(shardPods, func(i int) error { return cluster.CreatePod(t.Context(), client, shardNamespace(i), i) }); err != nil {
		t.Fatal(err)
	}
	return &sharded{t, hc, config.Host, client}
}

// ask requests the pods with a query of names and values. The caller closes the body.
func (s *sharded) ask(method, path string, query ...string) *http.Response {
	s.t.Helper()
	q := url.Values{}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path+"?"+q.Encode(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

func (s *sharded) list(query ...string) (list corev1.PodList) {
	s.t.Helper()
	resp := s.ask("GET", "/api/v1/pods", query...)
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%q: %s %v", query, resp.Status, err)
	}
	return list
}

// frames returns the next n frames of a watch as "ADDED namespace/name", without bookmarks, and without the changes that a real API server makes before a
// deletion.
func frames(t *testing.T, in *bufio.Scanner, n int) (all []string) {
	t.Helper()
	for len(all) < n && in.Scan() {
		var frame struct {
			Type   string
			Object metav1.PartialObjectMetadata
		}
		if err := json.Unmarshal(in.Bytes(), &frame); err != nil {
			t.Fatal(err)
		}
		if frame.Type != "BOOKMARK" && frame.Type != "MODIFIED" {
			all = append(all, frame.Type+" "+frame.Object.Namespace+"/"+frame.Object.Name)
		}
	}
	if len(all) < n {
		t.Fatalf("the watch ended after %q, want %d frames", all, n)
	}
	return all
}

// refusal returns how a request was answered: its status, and the reason in its Status.
func (s *sharded) refusal(method, path string, query ...string) string {
	s.t.Helper()
	resp := s.ask(method, path, query...)
	defer resp.Body.Close()
	var status metav1.Status
	if err := json.NewDecoder(resp.Body).Decode(&status); err != nil {
		s.t.Fatal(err)
	}
	about, _, _ := strings.Cut(status.Message, ":")
	return fmt.Sprintf("%d %q %s", resp.StatusCode, status.Reason, about)
}

// TestShards asks a real API server that shards, and the simulated cluster, for the same pods. The hash of a namespace puts the same pods into the same
// shards, in lists and watches; UIDs differ between clusters, so each is compared with its hash. A selector that cannot be read is refused alike.
func TestShards(t *testing.T) {
	t.Parallel()
	cp := cluster.StartForTest(t, cluster.Options{APIServerArgs: []string{"--feature-gates=ShardedListAndWatch=true"}})
	srv := httptest.NewServer(simcluster.New(simcluster.Options{Objects: -1, Still: true}))
	t.Cleanup(srv.Close)
	simulated := &rest.Config{Host: srv.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	both := map[string]*sharded{"kube-apiserver": newSharded(t, cp.Config()), "simulated": newSharded(t, simulated)}
	ours, theirs := both["simulated"], both["kube-apiserver"]
	for name, s := range both {
		t.Run(name, func(t *testing.T) {
			whole := s.list()
			if len(whole.Items) != shardPods || whole.ShardInfo != nil {
				t.Fatalf("%d pods and shardInfo %v without a selector", len(whole.Items), whole.ShardInfo)
			}
			for _, field := range []string{"uid", "namespace"} {
				for i, selector := range shardsOf(field) {
					part := s.list("shardSelector", selector)
					if part.ShardInfo == nil || part.ShardInfo.Selector != selector {
						t.Errorf("%s: shardInfo %v", selector, part.ShardInfo)
					}
					in := map[string]bool{}
					for _, pod := range part.Items {
						in[pod.Namespace+"/"+pod.Name] = true
					}
					for _, pod := range whole.Items {
						value := map[string]string{"uid": string(pod.UID), "namespace": pod.Namespace}[field]
						if key := pod.Namespace + "/" + pod.Name; in[key] != hashIn(i, value) {
							t.Errorf("%s: %s with %s %s listed: %v", selector, key, field, value, in[key])
						}
					}
					page := s.list("shardSelector", selector, "limit", "2")
					if len(page.Items) != 2 || page.Continue == "" || page.RemainingItemCount != nil {
						t.Errorf("%s: the first page has %d pods, and %v are said to remain", selector, len(page.Items), page.RemainingItemCount)
					}
				}
			}
		})
	}

	for i, selector := range shardsOf("namespace") {
		n := 0
		for pod := range shardPods {
			if hashIn(i, shardNamespace(pod)) {
				n++
			}
		}
		if n == 0 || n == shardPods {
			t.Fatalf("%s has %d pods: choose other names", selector, n)
		}
		got := map[string][]string{}
		for name, s := range both {
			resp := s.ask("GET", "/api/v1/pods", "shardSelector", selector, "watch", "1", "sendInitialEvents", "true",
				"resourceVersionMatch", "NotOlderThan", "allowWatchBookmarks", "true")
			in := bufio.NewScanner(resp.Body)
			in.Buffer(nil, 1<<20)
			got[name] = frames(t, in, n)
			slices.Sort(got[name])
			for pod := range shardPods { // each pod goes and comes; the watch sends those of its shard alone
				namespace := shardNamespace(pod)
				if err := cluster.DeletePod(t.Context(), s.pods, namespace, pod); err != nil {
					t.Fatal(err)
				}
				if err := cluster.CreatePod(t.Context(), s.pods, namespace, pod); err != nil {
					t.Fatal(err)
				}
			}
			got[name] = append(got[name], frames(t, in, 2*n)...)
			resp.Body.Close()
		}
		if !slices.Equal(got["simulated"], got["kube-apiserver"]) {
			t.Errorf("%s: the watch of the simulated cluster had %q, the other %q", selector, got["simulated"], got["kube-apiserver"])
		}
	}

	ask := map[string][]string{"list": {"GET", "/api/v1/pods", "watch", "false"}, "watch": {"GET", "/api/v1/pods", "watch", "true"},
		"deletion": {"DELETE", "/api/v1/namespaces/a-namespace/pods", "dryRun", "All"}}
	for _, bad := range []string{" ", "x", "shardRange(", "shardRange()", "shardRange(object.metadata.uid, '0x0', '0x8000000000000000')",
		"shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')",
		"shardRange('uid', '0x0000000000000000', '0x8000000000000000')",
		"shardRange(object.metadata.uid, '0x8000000000000000', '0x0000000000000000')",
		"shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')",
		"shardRange(object.metadata.uid, '0xF000000000000000', '0x10000000000000000')",
		"shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000001')",
		"shardRange(object.metadata.uid, 0, '0x8000000000000000')",
		shardsOf("uid")[0] + " && " + shardsOf("uid")[1], shardsOf("uid")[0] + " || " + shardsOf("namespace")[1], shardsOf("uid")[0] + " ||",
	} {
		for _, kind := range slices.Sorted(maps.Keys(ask)) {
			q := append(slices.Clone(ask[kind]), "shardSelector", bad)
			if a, b := ours.refusal(q[0], q[1], q[2:]...), theirs.refusal(q[0], q[1], q[2:]...); a != b {
				t.Errorf("%s with %q: the simulated cluster answers %s, the other %s", kind, bad, a, b)
			}
		}
	}

	for name, s := range both { // a deletion of a collection keeps the pods of other shards
		before := s.list()
		for ns := range shardNamespaces {
			resp := s.ask("DELETE", "/api/v1/namespaces/"+shardNamespace(ns)+"/pods", "shardSelector", shardsOf("uid")[0], "gracePeriodSeconds", "0")
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		want := len(slices.DeleteFunc(before.Items, func(pod corev1.Pod) bool { return hashIn(0, string(pod.UID)) }))
		if n := len(s.list().Items); n != want {
			t.Errorf("%s: %d pods outlive the deletion of a shard, want %d", name, n, want)
		}
	}

	// Without the gate the API server does as if no selector came: a client sees that shardInfo is missing.
	cp.StopAPIServer()
	cp.UseAPIServerArgs()
	if err := cp.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, part := theirs.list(), theirs.list("shardSelector", shardsOf("uid")[0]); len(part.Items) != len(all.Items) || part.ShardInfo != nil {
		t.Errorf("without the gate a shard has %d of %d pods, and shardInfo %v", len(part.Items), len(all.Items), part.ShardInfo)
	}
}
