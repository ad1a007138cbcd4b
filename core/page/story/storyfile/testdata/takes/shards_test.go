package take

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"informerscope/core/cluster/simcluster"
)

// halves are two shards.
var halves = []string{
	"shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
	"shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')",
}

// connect returns a client of an API server that lasts as long as the test.
func connect(t *testing.T, h http.Handler) kubernetes.Interface {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: srv.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestFactoryOfShard runs the informers of client-go for each half. Together the listers have every pod, and neither finds a pod of the other.
func TestFactoryOfShard(t *testing.T) {
	client := connect(t, simcluster.New(simcluster.Options{Objects: 40, Still: true}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	all, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]int{}
	for i, half := range halves {
		factory := factoryOfShard(client, half)
		lister := factory.Core().V1().Pods().Lister()
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		defer cancel()
		if result := factory.WaitForCacheSyncWithContext(ctx); result.Err != nil {
			t.Fatal(result.Err)
		}
		pods, err := lister.List(labels.Everything())
		if err != nil || len(pods) == 0 || len(pods) == len(all.Items) {
			t.Fatalf("%s has %d of %d pods: %v", half, len(pods), len(all.Items), err)
		}
		for _, pod := range pods {
			in[string(pod.UID)] += i + 1
		}
		missing := 0
		for _, pod := range all.Items {
			if _, err := lister.Pods(pod.Namespace).Get(pod.Name); apierrors.IsNotFound(err) {
				missing++
			}
		}
		if missing != len(all.Items)-len(pods) {
			t.Errorf("%s does not find %d pods, want %d", half, missing, len(all.Items)-len(pods))
		}
	}
	for uid, shards := range in {
		if shards > 2 {
			t.Errorf("%s is in both shards", uid)
		}
	}
	if len(in) != len(all.Items) {
		t.Errorf("%d of %d pods are in a shard", len(in), len(all.Items))
	}
}

// TestCheckShard: an API server that does not know the parameter answers with every object, and without shardInfo.
func TestCheckShard(t *testing.T) {
	cluster := simcluster.New(simcluster.Options{Objects: 40, Still: true})
	if err := checkShard(t.Context(), connect(t, cluster), halves[0]); err != nil {
		t.Error(err)
	}
	if err := checkShard(t.Context(), connect(t, cluster), "half"); err == nil {
		t.Error("a shard that cannot be read is taken")
	}
	older := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		q.Del("shardSelector")
		r.URL.RawQuery = q.Encode()
		cluster.ServeHTTP(w, r)
	}))
	if err := checkShard(t.Context(), older, halves[0]); err == nil {
		t.Error("an API server that sends every object passes for one that shards")
	}
}

// TestNamespacesShareAShard: the last characters of a text hardly move its hash, so they choose no shard.
func TestNamespacesShareAShard(t *testing.T) {
	for _, name := range []string{"team-", "customer-", "prod-"} {
		first := sharding.HashField(name + "0")
		for digit := '1'; digit <= '9'; digit++ {
			if hash := sharding.HashField(name + string(digit)); hash[:4] != first[:4] {
				t.Errorf("%s%c has the hash %s, %s0 has %s", name, digit, hash, name, first)
			}
		}
	}
}
