//go:build linux

package relay_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

var allFaults = flag.Bool("reliability", false, "break everything of docs/dev/reliability.md, and not only what is quickly over (make reliability)")

const (
	matrixPods       = 60
	matrixNamespaces = 4
	matrixToken      = "a-token-that-outlives-a-launch"
	matrixUser       = "page"
)

var podsGVR = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// matrix is a page on a real control plane, with everything between them that can break. That is etcd, the API server, the network to it, the relay,
// the network to that, and the browser. The page shows two releases side by side, so each fault meets both queues and both ways to list.
type matrix struct {
	root   *testing.T // the processes end with this test
	t      *testing.T
	cp     *cluster.ControlPlane
	client kubernetes.Interface
	config string          // the relay's kubeconfig
	far    *wire           // between relay and API server
	near   *wire           // between browser and relay
	relay  *harness.Server // the running one
	listen string          // its address, over restarts
	env    []string        // of the relay, as NAME=value
	b      *browser.Browser
	p      *browser.Page
	gvr    schema.GroupVersionResource
	ns     string // watched, "" for all
	n      int    // objects made so far by write
}

// newMatrix starts everything. quick shortens the timeouts of the relay's transport from most of a minute to seconds.
func newMatrix(t *testing.T, quick bool) *matrix {
	t.Helper()
	if quick {
		t.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "3") // instead of client-go's 30 and 15
		t.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "2")
	}
	m := &matrix{root: t, t: t, gvr: podsGVR}
	m.cp = cluster.StartForTest(t, cluster.Options{})
	m.client = m.cp.Client()
	if err := cluster.PopulatePods(t.Context(), m.cp.Client(), matrixPods, matrixNamespaces); err != nil {
		t.Fatal(err)
	}
	m.far = newWire(t, strings.TrimPrefix(m.cp.URL(), "https://"))
	m.makeUser()
	m.config = filepath.Join(t.TempDir(), "kubeconfig")
	m.useToken(m.token(time.Now().Add(24 * time.Hour)))
	m.startRelay("127.0.0.1:0")
	base, _, _ := strings.Cut(m.relay.URL, "/#")
	m.listen = host(base)
	m.near = newWire(t, m.listen)
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	// The page's own address is the relay's, although its connections go through the wire.
	m.b, err = browser.Start(context.WithoutCancel(t.Context()), browser.Options{ArtifactDir: dir,
		Flags: map[string]any{"host-resolver-rules": "MAP " + m.listen + " " + m.near.addr}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.b.Close)
	m.open()
	return m
}

// open opens the page.
func (m *matrix) open() {
	m.t.Helper()
	m.p = m.b.OpenForTest(m.root, "about:blank", 1280, 720)
	for _, script := range []string{harness.StageTools(m.t), harness.KeepWorker} {
		if err := m.p.OnNewDocument(harness.Timeout(m.t, 30*time.Second), script); err != nil {
			m.t.Fatal(err)
		}
	}
	if err := m.p.Navigate(harness.Timeout(m.t, time.Minute), m.relay.URL+"&lang=en&resource=pods&namespace=&era=1.31,1.37"); err != nil {
		m.t.Fatal(err)
	}
	harness.Await(m.t, m.p, time.Minute, "%s", harness.WellState)
}

func (m *matrix) startRelay(listen string) {
	m.t.Helper()
	m.relay = harness.StartServer(m.root, "--listen="+listen, "--kubeconfig="+m.config, "--context="+cluster.ContextName, "--token="+matrixToken)
}

// makeUser makes the user of the relay: a service account that may read, by a binding of its own.
func (m *matrix) makeUser() {
	m.t.Helper()
	ctx := harness.Timeout(m.t, time.Minute)
	if _, err := m.client.CoreV1().ServiceAccounts("default").Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: matrixUser}}, metav1.CreateOptions{}); err != nil {
		m.t.Fatal(err)
	}
	if _, err := m.client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: matrixUser},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}}},
		metav1.CreateOptions{}); err != nil {
		m.t.Fatal(err)
	}
	m.grant()
}

func (m *matrix) grant() {
	m.t.Helper()
	if _, err := m.client.RbacV1().ClusterRoleBindings().Create(harness.Timeout(m.t, time.Minute), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: matrixUser}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: matrixUser},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: matrixUser}},
	}, metav1.CreateOptions{}); err != nil {
		m.t.Fatal(err)
	}
}

func (m *matrix) withdraw() {
	m.t.Helper()
	if err := m.client.RbacV1().ClusterRoleBindings().Delete(harness.Timeout(m.t, time.Minute), matrixUser, metav1.DeleteOptions{}); err != nil {
		m.t.Fatal(err)
	}
}

// token is a token for the relay's user.
func (m *matrix) token(ends time.Time) string {
	m.t.Helper()
	account, err := m.client.CoreV1().ServiceAccounts("default").Get(harness.Timeout(m.t, time.Minute), matrixUser, metav1.GetOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	token, err := m.cp.ServiceAccountToken("default", matrixUser, string(account.UID), ends)
	if err != nil {
		m.t.Fatal(err)
	}
	return token
}

// useToken writes the relay's kubeconfig, whose cluster is at the far end of the wire.
func (m *matrix) useToken(token string) {
	m.t.Helper()
	config, err := clientcmd.LoadFromFile(m.cp.Kubeconfig)
	if err != nil {
		m.t.Fatal(err)
	}
	config.Clusters[cluster.ContextName].Server = "https://" + m.far.addr
	config.AuthInfos[cluster.ContextName].Token = token
	if err := clientcmd.WriteToFile(*config, m.config); err != nil {
		m.t.Fatal(err)
	}
}

// at is the same matrix for a subtest.
func (m *matrix) at(t *testing.T) *matrix {
	m.t = t
	return m
}

// begin selects again, so that the fault meets new informers.
func (m *matrix) begin() {
	m.t.Helper()
	harness.Call(m.t, m.p, "select({source: 'live', context: %q, group: %q, version: %q, resource: %q, namespace: %q, era: '1.31,1.37'})",
		cluster.ContextName, m.gvr.Group, m.gvr.Version, m.gvr.Resource, m.ns)
	m.nothingLost()
	m.p.ForgetProblems()
}

// write changes the cluster in every way: objects are created, changed, deleted, and created again under an earlier name.
func (m *matrix) write() {
	m.t.Helper()
	ctx := harness.Timeout(m.t, time.Minute)
	ns := cluster.NamespaceOf(0, matrixNamespaces)
	pods := m.client.CoreV1().Pods(ns)
	gone := int64(0)
	base := 100000 + 10*m.n
	m.n++
	must := func(err error) {
		m.t.Helper()
		if err != nil {
			m.t.Fatal(err)
		}
	}
	for i := range 6 {
		must(cluster.CreatePod(ctx, m.client, ns, base+i))
	}
	patch := func(i int, value string) {
		m.t.Helper()
		text, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]string{"touched": value}}})
		must(err)
		_, err = pods.Patch(ctx, fmt.Sprintf("pod-%d", base+i), types.MergePatchType, text, metav1.PatchOptions{})
		must(err)
	}
	patch(0, "once")
	patch(0, "twice")
	must(pods.Delete(ctx, fmt.Sprintf("pod-%d", base+1), metav1.DeleteOptions{GracePeriodSeconds: &gone}))
	must(pods.Delete(ctx, fmt.Sprintf("pod-%d", base+2), metav1.DeleteOptions{GracePeriodSeconds: &gone}))
	must(cluster.CreatePod(ctx, m.client, ns, base+2)) // another one of the same name
	patch(2, "again")
	if m.n > 1 { // of an earlier write, and long in every store
		must(pods.Delete(ctx, fmt.Sprintf("pod-%d", base-10+3), metav1.DeleteOptions{GracePeriodSeconds: &gone}))
		text, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]string{"touched": fmt.Sprint(m.n)}}})
		must(err)
		_, err = pods.Patch(ctx, fmt.Sprintf("pod-%d", base-10+4), types.MergePatchType, text, metav1.PatchOptions{})
		must(err)
	}
}

// says waits until the page shows a trouble: its cause, a part of its sentence in the caption, and that nothing on the page claims to be current
// meanwhile.
func (m *matrix) says(cause, words string) {
	m.t.Helper()
	began := time.Now()
	until := fmt.Sprintf(`informerscope.state().then((s) => {
		const line = document.querySelector(".say"), told = (line.title + line.textContent).toLowerCase();
		if (s.source.cause !== %[1]q || !s.source.trouble.includes(%[2]q) || !told.includes(%[2]q.toLowerCase())) return false;
		const claims = [document.querySelector(".worlds"), document.querySelector(".src")].map((e) => e.textContent).join("|");
		return !/has every change|· live/.test(claims);
	})`, cause, words)
	if err := m.p.WaitFor(harness.Timeout(m.t, 2*time.Minute), until, `informerscope.state().then((s) => [s.source.cause, s.source.trouble,
		document.querySelector(".say").title + document.querySelector(".say").textContent, s.reflector.phase, s.reflector.lastError])`); err != nil {
		m.t.Fatal(err)
	}
	m.t.Logf("the page says after %s: %s", time.Since(began).Round(100*time.Millisecond), harness.EvalIn[string](m.t, m.p,
		"informerscope.state().then((s) => s.source.trouble)"))
}

// waits expects that the page's Reflectors wait after an error, without a trouble. The API server asked them to wait, which is a part of an
// informer's life.
func (m *matrix) waits(words string) {
	m.t.Helper()
	if err := m.p.WaitFor(harness.Timeout(m.t, 2*time.Minute), fmt.Sprintf(`informerscope.state().then((s) => {
		const told = document.querySelector(".say").textContent;
		const claims = [document.querySelector(".worlds"), document.querySelector(".src")].map((e) => e.textContent).join("|");
		return %s.every((l) => l.reflector.phase === "backoff" && l.reflector.lastError.toLowerCase().includes(%[2]q.toLowerCase())) &&
			told.toLowerCase().includes(%[2]q.toLowerCase()) && !/has every change|· live/.test(claims);
	})`, harness.LanesOf, words), `informerscope.state().then((s) => [document.querySelector(".say").textContent, `+harness.LanesOf+`.map((l) => [l.reflector.phase, l.reflector.lastError]), s.source.cause])`); err != nil {
		m.t.Fatal(err)
	}
	m.t.Logf("the page says: %s", harness.EvalIn[string](m.t, m.p, "document.querySelector('.say').textContent"))
}

// recovers writes once again and waits until everything is as without the fault.
func (m *matrix) recovers() {
	m.t.Helper()
	began := time.Now()
	m.write()
	m.nothingLost()
	m.t.Logf("well again after %s", time.Since(began).Round(100*time.Millisecond))
}

// nothingLost waits until store and cluster are equal, and every handler was notified.
func (m *matrix) nothingLost() {
	m.t.Helper()
	// One wait of a Reflector may be 30 s, times up to two.
	harness.ExpectNothingLost(m.t, m.cp, m.p, m.gvr, m.ns, 2, 3*time.Minute)
}

// nothingLostUnder is nothingLost for a page that is never at rest.
func (m *matrix) nothingLostUnder(condition string) {
	m.t.Helper()
	harness.ExpectNothingLostUnder(m.t, m.cp, m.p, m.gvr, m.ns, 2, 3*time.Minute, condition)
}

func (m *matrix) state() browser.State {
	m.t.Helper()
	s, err := m.p.State(harness.Timeout(m.t, 30*time.Second))
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// killAPIServer kills the API server, so that nothing answers at its address.
func (m *matrix) killAPIServer() {
	m.t.Helper()
	m.cp.KillAPIServer()
	m.far.refuse(true)
}

func (m *matrix) startAPIServer() {
	m.t.Helper()
	if err := m.cp.StartAPIServer(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	m.far.refuse(false)
}

// withFlags restarts the API server with further flags.
func (m *matrix) withFlags(args ...string) {
	m.t.Helper()
	m.killAPIServer()
	m.cp.UseAPIServerArgs(args...)
	m.startAPIServer()
}

// seats gives the relay's user so many shares of the API server's concurrency.
func (m *matrix) seats(n int32) {
	m.t.Helper()
	ctx := harness.Timeout(m.t, time.Minute)
	levels, schemas := m.client.FlowcontrolV1().PriorityLevelConfigurations(), m.client.FlowcontrolV1().FlowSchemas()
	level, err := levels.Get(ctx, matrixUser, metav1.GetOptions{})
	if err == nil {
		level.Spec.Limited.NominalConcurrencyShares = &n
		_, err = levels.Update(ctx, level, metav1.UpdateOptions{})
	} else {
		_, err = levels.Create(ctx, &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: metav1.ObjectMeta{Name: matrixUser},
			Spec: flowcontrolv1.PriorityLevelConfigurationSpec{Type: flowcontrolv1.PriorityLevelEnablementLimited,
				Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
					NominalConcurrencyShares: &n, LendablePercent: new(int32), BorrowingLimitPercent: new(int32),
					LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}}}}, metav1.CreateOptions{})
	}
	if err != nil {
		m.t.Fatal(err)
	}
	if _, err := schemas.Get(ctx, matrixUser, metav1.GetOptions{}); err == nil {
		return
	}
	everything := []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"},
		ClusterScope: true, Namespaces: []string{"*"}}}
	if _, err := schemas.Create(ctx, &flowcontrolv1.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: matrixUser}, Spec: flowcontrolv1.FlowSchemaSpec{
		PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: matrixUser}, MatchingPrecedence: 100,
		Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
			Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindServiceAccount,
				ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: "default", Name: matrixUser}}},
			ResourceRules: everything,
		}},
	}}, metav1.CreateOptions{}); err != nil {
		m.t.Fatal(err)
	}
}

// takeSeat keeps a request of the relay's user in progress until leave is called: a list that is read from etcd, while etcd is stopped.
func (m *matrix) takeSeat(token string) (leave func()) {
	m.t.Helper()
	config := m.cp.Config()
	config.BearerToken = token
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(m.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_, _ = client.CoreV1().Pods("").List(ctx, metav1.ListOptions{}) // the API server ends it after a minute
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// until repeats an action until a condition of a state s holds.
func (m *matrix) until(condition string, again func()) {
	m.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		again()
		_, err := m.p.WaitState(harness.Timeout(m.t, 5*time.Second), condition)
		if err == nil {
			return
		}
		if time.Now().After(end) {
			m.t.Fatal(err)
		}
	}
}

// signal stops or continues a process. The end of the test undoes it.
func (m *matrix) signal(send func(os.Signal) error, sig syscall.Signal) {
	m.t.Helper()
	if err := send(sig); err != nil {
		m.t.Fatal(err)
	}
	if sig == syscall.SIGSTOP {
		m.t.Cleanup(func() { _ = send(syscall.SIGCONT) })
	}
}

// fault is a fault of the matrix.
type fault struct {
	name string
	// long faults take too long for make test.
	long bool
	run  func(m *matrix)
}

// A browser's errors for a connection that cannot be opened.
const noConnection = "ERR_CONNECTION|WebSocket|ERR_EMPTY_RESPONSE|ERR_NETWORK|ERR_TIMED_OUT"

// play injects the faults one after the other, each where the one before ended. After one without recovery it stops.
func (m *matrix) play(faults []fault) {
	t := m.t
	for _, f := range faults {
		if t.Failed() {
			return
		}
		if f.long && !*allFaults {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			m := m.at(t)
			m.begin()
			f.run(m)
			m.p.ExpectClean(t, noConnection)
			harness.Shot(t, m.p, strings.ReplaceAll(f.name, " ", "-"))
		})
	}
	m.t = t
}

// TestReliability breaks each part between a page and its cluster's data, one after the other. Each time the page shows what is wrong, recovers by
// itself, and has lost nothing.
func TestReliability(t *testing.T) {
	m := newMatrix(t, true)
	m.play(serverFaults)
	m.play(networkFaults)
	m.play(relayFaults)
	m.play(browserFaults)
	m.play(accessFaults)
	m.play(resourceFaults)
}

// serverFaults are those of etcd and the API server.
var serverFaults = []fault{
	{name: "API server killed", run: func(m *matrix) {
		m.killAPIServer()
		m.says("refused", "refuses the connection")
		m.startAPIServer()
		m.recovers()
	}},
	{name: "API server restarted", long: true, run: func(m *matrix) {
		m.far.refuse(true)
		if err := m.cp.RestartAPIServer(m.t.Context()); err != nil {
			m.t.Fatal(err)
		}
		m.far.refuse(false)
		m.recovers()
	}},
	{name: "API server stopped", run: func(m *matrix) {
		m.signal(m.cp.SignalAPIServer, syscall.SIGSTOP)
		m.says("frozen", "has stopped answering: no sign of life for 5 s")
		m.signal(m.cp.SignalAPIServer, syscall.SIGCONT)
		m.recovers()
	}},
	{name: "etcd killed", run: func(m *matrix) {
		before := m.state()
		m.cp.KillEtcd()
		// The API server serves from its watch cache, even a new list: nothing can be written, so nothing is old.
		m.far.cut()
		harness.Await(m.t, m.p, 2*time.Minute, "%s && %s.every((l) => l.reflector.watches > %d)", harness.WellState, harness.LanesOf, before.Reflector.Watches)
		if _, err := m.client.CoreV1().Namespaces().Create(harness.Timeout(m.t, 5*time.Second),
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "without-etcd"}}, metav1.CreateOptions{}); err == nil {
			m.t.Error("without etcd something was written")
		}
		if err := m.cp.StartEtcd(m.t.Context()); err != nil {
			m.t.Fatal(err)
		}
		m.recovers()
	}},
	{name: "etcd compacted under a watch", run: func(m *matrix) {
		before := m.state()
		m.write()
		if _, err := m.cp.CompactEtcd(m.t.Context()); err != nil {
			m.t.Fatal(err)
		}
		m.recovers()
		// The compaction is of history before an open watch, which it does not affect.
		if after := m.state(); after.Reflector.Relists != before.Reflector.Relists || after.Reflector.Watches != before.Reflector.Watches {
			m.t.Errorf("a compaction behind an open watch took %d relists and %d watches",
				after.Reflector.Relists-before.Reflector.Relists, after.Reflector.Watches-before.Reflector.Watches)
		}
	}},
	{name: "history compacted while away", long: true, run: func(m *matrix) {
		m.write()
		m.nothingLost() // a watch without an event is followed by a list; this one must be resumed
		before := m.state()
		m.far.refuse(true)
		m.says("refused", "refuses the connection")
		m.write()
		m.cp.StopAPIServer()
		if _, err := m.cp.CompactEtcd(m.t.Context()); err != nil {
			m.t.Fatal(err)
		}
		if err := m.cp.StartAPIServer(m.t.Context()); err != nil { // its watch cache begins here
			m.t.Fatal(err)
		}
		m.far.refuse(false)
		m.recovers()
		events, err := harness.PackedRecording(harness.Timeout(m.t, time.Minute), m.p)
		if err != nil {
			m.t.Fatal(err)
		}
		if !harness.HasExpired(events, before.Seq) {
			m.t.Error("the log has no 410, so this was no compaction for the page")
		}
	}},
	{name: "watch cache off", long: true, run: func(m *matrix) {
		m.withFlags("--watch-cache=false")
		m.recovers()
		m.far.cut()
		m.recovers()
		m.withFlags()
		m.recovers()
	}},
	{name: "short watches", run: func(m *matrix) {
		before := m.state()
		watches := before.Reflector.Watches
		for range 3 { // each has an event before it is ended
			events := m.state().Reflector.Events
			m.write()
			harness.Await(m.t, m.p, time.Minute, "%s.every((l) => l.reflector.events > %d)", harness.LanesOf, events)
			m.far.end()
			watches++
			harness.Await(m.t, m.p, 2*time.Minute, "%s.every((l) => l.reflector.watches >= %d)", harness.LanesOf, watches)
		}
		m.far.end() // before any event, which client-go treats as an error
		m.write()
		m.recovers()
		events, err := harness.PackedRecording(harness.Timeout(m.t, time.Minute), m.p)
		if err != nil {
			m.t.Fatal(err)
		}
		for i := range events {
			if e := &events[i]; e.Err() != nil && strings.Contains(e.Err().Error(), "unable to decode") {
				m.t.Fatalf("a watch that ended with its connection was taken for one with a broken frame: %v", e.Err())
			}
		}
	}},
}

// networkFaults are those of the two networks.
var networkFaults = []fault{
	{name: "connections to the API server reset", run: func(m *matrix) {
		for range 3 {
			m.far.cut()
			m.write()
		}
		m.recovers()
	}},
	{name: "network to the API server gone", run: func(m *matrix) {
		m.far.hole(true)
		m.says("frozen", "has stopped answering: no sign of life for 5 s")
		m.write()
		m.says("timeout", "does not answer in time")
		m.far.hole(false)
		m.recovers()
	}},
	{name: "half-open connection to the API server", long: true, run: func(m *matrix) {
		m.far.halfOpen()
		m.write()
		m.says("frozen", "has stopped answering: no sign of life for 5 s")
		m.recovers()
	}},
	{name: "network to the relay gone", run: func(m *matrix) {
		m.near.hole(true)
		m.write()
		m.says("relay-silent", "no sign of life for 13 s")
		m.near.hole(false)
		m.recovers()
	}},
	{name: "half-open connection to the relay", long: true, run: func(m *matrix) {
		m.near.halfOpen()
		m.write()
		m.says("relay-silent", "no sign of life for 13 s")
		m.recovers()
	}},
	{name: "connections to the relay reset", run: func(m *matrix) {
		for range 3 {
			m.near.cut()
			m.write()
		}
		m.recovers()
	}},
}

// relayFaults are those of the relay's process.
var relayFaults = []fault{
	{name: "relay killed", run: func(m *matrix) {
		m.relay.Stop(0)
		m.near.refuse(true)
		m.write()
		m.says("relay-gone", "relay")
		m.startRelay(m.listen)
		m.near.refuse(false)
		m.recovers()
	}},
	{name: "relay stopped", long: true, run: func(m *matrix) {
		m.signal(m.relay.Signal, syscall.SIGSTOP)
		m.write()
		m.says("relay-silent", "no sign of life for 13 s")
		m.signal(m.relay.Signal, syscall.SIGCONT)
		m.recovers()
	}},
	{name: "browser and relay stopped", run: func(m *matrix) { m.sleep(12 * time.Second) }},
	{name: "browser and relay stopped for two minutes", long: true, run: func(m *matrix) { m.sleep(2 * time.Minute) }},
}

// sleep stops both ends for a while, as a laptop that sleeps with the relay on it, while the cluster goes on.
func (m *matrix) sleep(d time.Duration) {
	m.t.Helper()
	wake := func() {
		_ = m.relay.Signal(syscall.SIGCONT)
		_ = m.b.Pause(false)
	}
	m.t.Cleanup(wake)
	if err := m.b.Pause(true); err != nil {
		m.t.Fatal(err)
	}
	if err := m.relay.Signal(syscall.SIGSTOP); err != nil {
		m.t.Fatal(err)
	}
	m.write()
	time.Sleep(d) // the passing time is what is tested
	m.write()
	wake()
	m.recovers()
}

// browserFaults are those of the page's own browser.
var browserFaults = []fault{
	{name: "worker killed", run: func(m *matrix) {
		if err := m.p.EvalInWorker(harness.Timeout(m.t, 30*time.Second), "setTimeout(() => self.close())"); err != nil {
			m.t.Fatal(err)
		}
		harness.WaitUntil(m.t, m.p, harness.Dialog)
		harness.Settle(m.t, m.p)
		if said := harness.EvalIn[string](m.t, m.p, harness.Dialog+".textContent"); !strings.Contains(said, "A browser stops a worker") {
			m.t.Errorf("of a worker that the browser ended the page says %q", said)
		}
		m.write()
		if err := m.p.Click(harness.Timeout(m.t, 10*time.Second), harness.Dialog+".querySelector('button')"); err != nil {
			m.t.Fatal(err)
		}
		m.awaitNewDocument()
		m.recovers()
	}},
	{name: "tab hidden", long: true, run: func(m *matrix) { m.hide(15 * time.Second) }},
	{name: "tab hidden for three minutes", long: true, run: func(m *matrix) { m.hide(3 * time.Minute) }},
	{name: "clock set an hour forward", run: func(m *matrix) { m.setClock("Date", time.Hour) }},
	{name: "clock set an hour back", long: true, run: func(m *matrix) { m.setClock("Date", -time.Hour) }},
	{name: "ten minutes in which nothing ran", run: func(m *matrix) { m.setClock("performance", 10*time.Minute) }},
}

// awaitNewDocument waits until a document that replaces this one watches the same cluster.
func (m *matrix) awaitNewDocument() {
	m.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		ctx, cancel := context.WithTimeout(m.t.Context(), 10*time.Second)
		// A wait in a document ends with it, so each lasts a short while.
		_, err := m.p.WaitState(ctx, harness.WellState+" && !"+harness.Dialog)
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			m.t.Fatal(err)
		}
	}
}

// hide minimises the page's window while the cluster changes.
func (m *matrix) hide(d time.Duration) {
	m.t.Helper()
	if err := m.p.Hide(harness.Timeout(m.t, 30*time.Second), true); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = m.p.Hide(harness.Timeout(m.t, 30*time.Second), false) })
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(d / 5) { // the passing time is what is tested
		m.write()
	}
	if !harness.EvalIn[bool](m.t, m.p, "document.hidden") {
		m.t.Fatal("the page was not hidden")
	}
	if err := m.p.Hide(harness.Timeout(m.t, 30*time.Second), false); err != nil {
		m.t.Fatal(err)
	}
	m.recovers()
	harness.WaitUntil(m.t, m.p, "informerscope.state().then((s) => !document.hidden && Number(stage.event()) >= s.seq - 200)")
}

// setClock moves one of the worker's two clocks: Date is the wall's, and timers use performance.
func (m *matrix) setClock(clock string, by time.Duration) {
	m.t.Helper()
	script := fmt.Sprintf(`(() => { const Old = Date; globalThis.Date = class extends Old {
		constructor(...a) { super(...(a.length ? a : [Old.now() + %[1]d])); }
		static now() { return Old.now() + %[1]d; }
	}; })()`, by.Milliseconds())
	if clock == "performance" {
		script = fmt.Sprintf("(() => { const now = performance.now.bind(performance); performance.now = () => now() + %d; })()", by.Milliseconds())
	}
	if err := m.p.EvalInWorker(harness.Timeout(m.t, 30*time.Second), script); err != nil {
		m.t.Fatal(err)
	}
	m.write()
	m.recovers()
	// Under the new clock a connection is lost and opened again.
	m.near.cut()
	m.recovers()
	// The next fault gets a page with the right clock.
	m.p.Close()
	m.open()
}

// accessFaults are those of permissions.
var accessFaults = []fault{
	{name: "credentials expired and rotated", run: func(m *matrix) {
		m.useToken(m.token(time.Now().Add(-50 * time.Second))) // the API server accepts it for another minute
		m.begin()
		m.until("s.source.cause === 'unauthorized'", m.far.cut)
		m.says("unauthorized", "does not accept the credentials")
		m.write()
		m.useToken(m.token(time.Now().Add(24 * time.Hour)))
		m.recovers()
	}},
	{name: "credentials rotated", run: func(m *matrix) {
		before := m.state()
		m.useToken(m.token(time.Now().Add(25 * time.Hour)))
		m.write()
		m.far.cut()
		m.recovers()
		if after := m.state(); after.Reflector.Relists > before.Reflector.Relists+1 {
			m.t.Errorf("new credentials took %d relists", after.Reflector.Relists-before.Reflector.Relists)
		}
	}},
	{name: "RBAC withdrawn and granted", run: func(m *matrix) {
		m.withdraw()
		m.write()
		m.far.cut() // the next request is authenticated again
		m.says("forbidden", "does not let this user list or watch pods in all namespaces (403 Forbidden)")
		m.grant()
		m.recovers()
	}},
	{name: "429 by priority and fairness", run: func(m *matrix) {
		m.withFlags("--enable-priority-and-fairness=true", "--max-requests-inflight=100", "--max-mutating-requests-inflight=100")
		m.begin()
		m.seats(0) // priority and fairness admits one request even without seats, and rejects a second one
		m.write()
		token := m.token(time.Now().Add(time.Hour))
		m.signal(m.cp.SignalEtcd, syscall.SIGSTOP)
		leave := m.takeSeat(token)
		defer leave()
		m.until("s.reflector.lastError.toLowerCase().includes('too many requests')", m.far.cut) // the configuration takes effect a moment later
		m.waits("Too many requests")
		m.signal(m.cp.SignalEtcd, syscall.SIGCONT)
		leave()
		m.recovers()
		m.withFlags()
		m.recovers()
	}},
}
