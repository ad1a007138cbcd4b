//go:build linux

package cluster_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// TestBroadcastOfALiveCluster has an audience follow a page that watches a real cluster. Every page holds what the API server has, through writes and
// an outage of the API server. Whole objects stay with the speaker. By its audit log the API server serves no follower.
func TestBroadcastOfALiveCluster(t *testing.T) {
	t.Parallel()
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	audit, policy := filepath.Join(dir, "audit.log"), filepath.Join(t.TempDir(), "policy.yaml")
	_ = os.Remove(audit)
	if err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cp := cluster.StartForTest(t, cluster.Options{APIServerArgs: []string{"--audit-policy-file=" + policy, "--audit-log-path=" + audit}})
	if err := cluster.PopulatePods(t.Context(), cp.Client(), livePods, liveNamespaces); err != nil {
		t.Fatal(err)
	}
	// The annotation of kubectl apply must reach no page, and an ordinary annotation only the speaker.
	const applied, ordinary = "what-was-applied-is-nobodys-business", "an-annotation-of-an-object"
	annotate(t, cp, map[string]string{"kubectl.kubernetes.io/last-applied-configuration": applied, "example.com/note": ordinary})
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+pageKubeconfig(t, cp), "--context="+cluster.ContextName, "--broadcast",
		"--token=a-token-of-more-than-enough-letters")
	b := browser.StartForTest(t)
	speaker := b.OpenForTest(t, srv.URL+"&broadcast=1&lang=en&source=live&resource=pods&context="+cluster.ContextName, 1280, 720)
	harness.Await(t, speaker, 2*time.Minute, "s.queue.synced && s.reflector.phase === 'watching' && s.indexer.count === %d", livePods)
	link := harness.GoOnAir(t, speaker)
	harness.Press(t, speaker, "\x1b")
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	before := requestsOf(t, audit, pageUser)

	seats := map[string]*browser.Page{"hall": harness.OpenSeat(t, b, link, 1280, 720), "phone": harness.OpenSeat(t, b, link, 390, 844)}
	for _, p := range seats {
		harness.Await(t, p, 2*time.Minute, "s.source.kind === 'broadcast' && s.source.context === %q && s.indexer.count === %d", cluster.ContextName, livePods)
		harness.WaitFor(t, p, `informerscope.hearing()?.phase === 'following'`)
	}
	everywhere := func(count int) {
		t.Helper()
		for name, p := range map[string]*browser.Page{"speaker": speaker, "hall": seats["hall"], "phone": seats["phone"]} {
			harness.Await(t, p, 2*time.Minute, "s.reflector.phase === 'watching' && s.indexer.count === %d", count)
			// What a follower holds came from the speaker.
			condition := harness.WellState
			if name != "speaker" {
				condition = strings.ReplaceAll(harness.WellState, "'live'", "'broadcast'")
			}
			harness.ExpectNothingLostUnder(t, cp, p, pods, "", 1, 2*time.Minute, condition)
			if t.Failed() {
				t.Fatalf("the %s does not hold what the cluster has", name)
			}
		}
	}
	l := &live{t: t, cp: cp, p: speaker}
	l.touch(25, 10)
	everywhere(livePods)
	harness.Shot(t, seats["hall"], "1-hall")
	harness.Shot(t, seats["phone"], "1-phone")
	if after := requestsOf(t, audit, pageUser); after != before {
		t.Errorf("the API server had %d requests with the server's credentials before anybody followed, and %d with two followers", before, after)
	}

	// The object: the speaker has its body, the followers only its key.
	key := cluster.NamespaceOf(0, liveNamespaces) + "/pod-0"
	whole := func(p *browser.Page) string {
		return harness.EvalIn[string](t, p, fmt.Sprintf(`informerscope.object(%q).then(JSON.stringify)`, key))
	}
	if text := whole(speaker); !strings.Contains(text, ordinary) || strings.Contains(text, applied) {
		t.Errorf("the speaker's page has of the object:\n%.2000s", text)
	}
	for name, p := range seats {
		text := whole(p)
		if !strings.Contains(text, `"journey"`) || strings.Contains(text, ordinary) || strings.Contains(text, applied) {
			t.Errorf("the %s has of the object:\n%.2000s", name, text)
		}
		record := harness.EvalIn[string](t, p, `informerscope.record().then((r) => r.text)`)
		if strings.Contains(record, ordinary) || strings.Contains(record, applied) {
			t.Errorf("the log of the %s has annotations of an object", name)
		}
	}

	cp.StopAPIServer()
	for _, p := range seats {
		harness.Await(t, p, time.Minute, "s.reflector.phase === 'backoff' && s.reflector.lastError !== '' && s.indexer.count === %d", livePods)
	}
	harness.Shot(t, seats["hall"], "2-api-server-gone")
	if err := cp.StartAPIServer(harness.Timeout(t, 2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	l.touch(10, 10)
	everywhere(livePods)
	speaker.ExpectClean(t, "ERR_CONNECTION", "WebSocket")
	for _, p := range seats {
		p.ExpectClean(t)
	}
}

// annotate writes annotations to the first pod.
func annotate(t *testing.T, cp *cluster.ControlPlane, annotations map[string]string) {
	t.Helper()
	client := cp.Client()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods(cluster.NamespaceOf(0, liveNamespaces)).Patch(t.Context(), "pod-0", types.MergePatchType, patch,
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// requestsOf counts a user's requests in an API server's audit log.
func requestsOf(t *testing.T, path, user string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e struct {
			AuditID string
			User    struct{ Username string }
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.User.Username == user {
			seen[e.AuditID] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 {
		t.Fatalf("the audit log knows of no request of %s", user)
	}
	return len(seen)
}
