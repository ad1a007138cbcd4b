package relay

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/ask/doctor"
	"informerscope/core/client/restwatch"
	"informerscope/core/log/tracefile"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/cause"
	"informerscope/core/words/event"
)

//go:generate go test -run ^TestSituations$ -write-situations

var writeSituations = flag.Bool("write-situations", false, "write the recordings of "+recordings)

// recordings has a recording of each situation, by its name.
const recordings = "../../../core/ask/doctor/testdata/situations"

// ports of the API servers differ from run to run.
var ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// situation is what a user has met: how an API server, or what stands before it, answers an informer.
type situation struct {
	name    string // of its recording, of its context and of its user
	cluster entry
	answer  http.HandlerFunc // of the API server, if cluster has none
	// log is what happens instead of two rounds of LIST and WATCH.
	log func(s *situationLog)
	// rule is that of the only finding. doctor has parts of it in both languages.
	rule   string
	doctor []string
	// cause is what the page says is wrong, "" for nothing; page has parts of its sentence in both languages.
	cause string
	page  []string
}

// situationLog is the log of an informer of configmaps whose requests go through the relay.
type situationLog struct {
	t      *testing.T
	client *restwatch.Client
	events []*event.Entry
	at     time.Duration
	last   relayclient.Trouble
}

func (s *situationLog) add(after time.Duration, all ...event.Event) {
	for _, e := range all {
		s.at += after
		s.events = append(s.events, &event.Entry{Seq: uint64(len(s.events) + 1), At: s.at, Event: e})
	}
}

func widgets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
}

// list sends a LIST, and logs it as an informer does.
func (s *situationLog) list() {
	s.add(time.Second, event.RequestSent{Req: 1, Verb: event.VerbList, Options: &metav1.ListOptions{}}.Event())
	list, err := s.client.List(s.t.Context(), widgets(), "", metav1.ListOptions{})
	s.add(time.Second, event.RequestAnswered{Req: 1, Err: err}.Event())
	if err == nil {
		s.add(time.Millisecond, event.ReflectorRV{RV: list.ResourceVersion}.Event())
	}
	s.wait(err)
}

// watch sends a WATCH, and reads its first event.
func (s *situationLog) watch() {
	s.add(time.Second, event.RequestSent{Req: 2, Verb: event.VerbWatch, Options: &metav1.ListOptions{}}.Event())
	stream, err := s.client.Watch(s.t.Context(), widgets(), "", metav1.ListOptions{})
	s.add(time.Second, event.RequestAnswered{Req: 2, Err: err}.Event())
	if err == nil {
		stream.Stop()
		s.add(time.Second, event.WatchClosed{Req: 2, Why: "the stream ended"}.Event())
	}
	s.wait(err)
}

func (s *situationLog) wait(err error) {
	if err != nil {
		s.add(time.Millisecond, event.Backoff{Wait: 4 * time.Second, Err: err}.Event())
		s.add(4*time.Second, event.Event{Kind: event.KindBackoffEnded})
	}
}

func statusOf(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
	}
}

// listsAnd answers lists, and watches as watch does.
func listsAnd(watch http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			watch(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":[]}`)
	}
}

// TestSituations: what the doctor and the page say of situations that users have met, each built with the true answers. The doctor
// reads the recording of each; go generate ./server/internal/relay writes them again.
func TestSituations(t *testing.T) {
	hour := time.Hour
	ca := newAuthority(t, "cluster-ca")
	withUser := func(e entry, user map[string]any) entry { e.user = user; return e }
	expired := func() entry { // on a day that does not change: the answer names it
		cert, key := ca.leaf("jane", time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC))
		return withUser(newTLSServer(t, ca, time.Now().Add(-hour), time.Now().Add(hour), ca),
			map[string]any{"client-certificate-data": cert, "client-key-data": key})
	}
	oidc := func(issuer, refresh string) map[string]any {
		token := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." +
			base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, time.Now().Add(-hour).Unix())) + ".x"
		config := map[string]any{"idp-issuer-url": issuer, "client-id": "kubernetes", "id-token": token}
		if refresh != "" {
			config["refresh-token"] = refresh
		}
		return map[string]any{"auth-provider": map[string]any{"name": "oidc", "config": config}}
	}
	well := apiserver(t, listsAnd(statusOf(500, "", "not asked")))
	hook := `conversion webhook for example.com/v1, Kind=Widget failed: Post "https://hook.team.svc:443/convert?timeout=30s": dial tcp 10.96.0.7:443: connect: ` +
		`connection refused`
	const user = "system:serviceaccount:team:ctl"
	forbidden := func(scope string) http.HandlerFunc {
		return statusOf(403, "Forbidden", fmt.Sprintf(`widgets.example.com is forbidden: User %q cannot list resource "widgets" in API group "example.com" %s`,
			user, scope))
	}
	webhookEN, webhookZH := "the conversion webhook at hook.team.svc:443 fails.", "转换 webhook（hook.team.svc:443）失败。"
	all := []*situation{
		{name: "oidc-token-expired", cluster: withUser(well, oidc("https://"+closedPort(t), "")), rule: "bad-credentials",
			doctor: []string{"OIDC id-token has expired, and there is no refresh token.", "trying again cannot help", "没有 refresh token", "重试没有用"},
			cause:  cause.OIDCToken, page: []string{"OIDC id-token has expired", "OIDC id-token 已过期"}},
		{name: "oidc-issuer-away", cluster: withUser(well, oidc("https://"+closedPort(t), upstream)), rule: "bad-credentials",
			doctor: []string{"The OIDC issuer gives no new id-token; the cluster was not asked.", "OIDC 签发方没有给出新的 id-token"},
			cause:  cause.OIDCIssuer, page: []string{"The OIDC issuer gives no new id-token", "没有询问集群"}},
		{name: "client-certificate-expired", cluster: expired(), rule: "bad-credentials",
			doctor: []string{"does not accept the kubeconfig’s client certificate", "expired on", "renew the kubeconfig", "不接受 kubeconfig 的客户端证书"},
			cause:  cause.ClientCertificate, page: []string{"expired on", "不接受 kubeconfig 的客户端证书"}},
		{name: "static-token-401", answer: statusOf(401, "Unauthorized", "Unauthorized"), rule: "bad-credentials",
			doctor: []string{"does not accept these credentials (401). From the API server: “Unauthorized”.", "A role does not help", "不接受这些凭据（401）", "加 Role 没有用"},
			cause:  cause.Unauthorized, page: []string{"log in again", "不接受这些凭据（401）"}},
		{name: "watch-405", answer: listsAnd(statusOf(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")),
			rule: "unserved-resource",
			doctor: []string{"widgets.example.com cannot be watched here: the API server has no watch for this resource (405).", "list it now and then",
				"API server 对该资源没有 watch（405）"},
			cause: cause.NoWatch, page: []string{"has no watch for this resource (405)", "没有 watch（405）"}},
		{name: "webhook-away-500", answer: statusOf(500, "InternalError", hook), rule: "unserved-resource",
			doctor: []string{webhookEN, "connection refused”.", "spec.conversion", webhookZH}, cause: cause.Webhook, page: []string{webhookEN, "无法转换"}},
		{name: "webhook-away-504", answer: statusOf(504, "Timeout", hook), rule: "unserved-resource",
			doctor: []string{webhookEN, webhookZH}, cause: cause.Webhook, page: []string{webhookEN, "无法转换"}},
		{name: "webhook-away-429", answer: statusOf(429, "TooManyRequests", "storage is (re)initializing: unexpected error when listing: "+hook),
			rule: "unserved-resource", doctor: []string{webhookEN, webhookZH}, cause: cause.Webhook, page: []string{webhookEN, "无法转换"}},
		{name: "first-list-429", answer: statusOf(429, "TooManyRequests", "Too many requests, please try again later."),
			rule: "never-synced", doctor: []string{"its first list fails. The API server sheds load (429 Too Many Requests). From the API server: " +
				"“Too many requests, please " +
				"try again later.”.", "FlowSchema", "第一次 list 失败。API server 在限流"}},
		{name: "crd-deleted", answer: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "404 page not found", http.StatusNotFound) },
			log: func(s *situationLog) {
				s.add(time.Second, event.RequestSent{Req: 1, Verb: event.VerbWatch}.Event(), event.RequestAnswered{Req: 1}.Event(),
					event.ReflectorRV{RV: "7"}.Event(), event.Event{Kind: event.KindInformerSynced}, event.WatchClosed{Why: "the stream ended"}.Event())
				for range 4 {
					s.add(time.Second, event.ListWatchStarted{Why: "the last round ended"}.Event())
					s.list()
				}
			}, rule: "unserved-resource",
			doctor: []string{"the cluster does not serve this resource", "its definition was deleted", "集群不提供该资源", "定义是否被删除"},
			cause:  cause.NotServed, page: []string{"does not serve widgets (404 Not Found)", "集群不提供该资源"}},
		{name: "forbidden-role", answer: forbidden(`in the namespace "team"`), rule: "missing-permission",
			doctor: []string{user + " may not list widgets.example.com in the namespace team (403).",
				"Grant a Role in the namespace team with the verbs get, list and " +
					"watch for widgets.example.com", "resourceNames", user + "无权 list namespace “team” 的 widgets.example.com", "授予 namespace “team”里的 Role"},
			cause: cause.Forbidden, page: []string{user, "（403）"}},
		{name: "forbidden-clusterrole", answer: forbidden("at the cluster scope"), rule: "missing-permission",
			doctor: []string{user + " may not list widgets.example.com in all namespaces (403).", "Grant a ClusterRole with", "授予 ClusterRole"},
			cause:  cause.Forbidden, page: []string{"ClusterRole", "（403）"}},
		{name: "bookmark-without-end-mark", cluster: well, log: func(s *situationLog) {
			s.add(time.Second, event.RequestSent{Req: 1, Verb: event.VerbWatchList}.Event(), event.RequestAnswered{Req: 1}.Event())
			for i := range 20 {
				op := event.OpAdded
				if i == 10 {
					op = event.OpBookmark
				}
				s.add(time.Second, event.WatchEvent{Op: op, Key: fmt.Sprint("ns/", i), RV: fmt.Sprint(i + 1)}.Event())
			}
		}, rule: "no-end-mark", doctor: []string{"A bookmark came after the WatchList's objects, and lacked the mark", "没有 k8s.io/initial-events-end 标记"}},
		{name: "list-held-then-410", cluster: well, log: func(s *situationLog) {
			s.list()
			for i := range 5 {
				s.add(time.Millisecond, event.Queued{Op: event.OpReplaced, Key: fmt.Sprint("ns/", i), RV: "7", Length: i + 1}.Event())
			}
			s.add(time.Millisecond, event.RequestSent{Req: 2, Verb: event.VerbWatch}.Event(), event.RequestAnswered{Req: 2}.Event())
			gone := restwatchError(410, "Expired", "too old resource version: 7 (99)")
			s.add(25*time.Second, event.WatchClosed{Req: 2, Err: gone}.Event(), event.Note{Text: "the end"}.Event())
		}, rule: "never-synced", doctor: []string{"It waits for this: 5 entries of its queue, which are not processed: an index function or the transform blocks.",
			"队列里的 5 个条目，它们没有被处理：索引函数或 transform 卡住了。", "goroutine in processDeltas", "processDeltas 所在的 goroutine"}},
		{name: "key-at-failure-13", cluster: well, log: func(s *situationLog) {
			s.list()
			s.add(time.Second, event.Event{Kind: event.KindInformerSynced}, event.RequestSent{Req: 2, Verb: event.VerbWatch}.Event(),
				event.RequestAnswered{Req: 2}.Event())
			for n := range 13 {
				s.add(2*time.Second, event.Work{Kind: event.KindWorkAdded, Key: "ns/a"}.Event(), event.Work{Kind: event.KindWorkTaken, Key: "ns/a", Worker: 1}.Event(),
					event.Reconciled{Key: "ns/a", Worker: 1, Err: fmt.Errorf("quota exceeded")}.Event(),
					event.Work{Kind: event.KindWorkRateLimited, Key: "ns/a", N: n + 1}.Event(), event.Work{Kind: event.KindWorkDone, Key: "ns/a", Worker: 1}.Event())
			}
		}, rule: "endless-retries", doctor: []string{"ns/a has failed 13 times in a row", "quota exceeded", "ns/a 已连续失败 13 次"}},
		{name: "relists-after-504", cluster: well, log: func(s *situationLog) {
			s.list()
			s.add(time.Second, event.Event{Kind: event.KindInformerSynced})
			for range 4 {
				s.add(2*time.Second, event.RequestSent{Req: 1, Verb: event.VerbList}.Event(),
					event.RequestAnswered{Req: 1, Err: restwatchError(504, "Timeout", "Too large resource version: 993, current: 728")}.Event(),
					event.ListWatchStarted{Why: "too large"}.Event())
			}
			s.add(time.Second, event.RequestSent{Req: 1, Verb: event.VerbList}.Event(), event.RequestAnswered{Req: 1}.Event())
		}, rule: "relist-loop", doctor: []string{"Too large resource version: 993, current: 728", "restored from an older copy", "从旧的备份恢复"}},
	}
	entries := map[string]entry{}
	for _, x := range all {
		if x.answer != nil {
			x.cluster = apiserver(t, x.answer)
		}
		entries[x.name] = x.cluster
	}
	f := newFixture(t, kubeconfig(t, entries), nil)
	for _, x := range all {
		t.Run(x.name, func(t *testing.T) { x.play(t, f) })
	}
	if files, err := os.ReadDir(recordings); err != nil || len(files) != len(all) {
		t.Errorf("%s has %d files, want one for each of %d situations: %v", recordings, len(files), len(all), err)
	}
}

func restwatchError(code int32, reason, message string) error {
	return &event.LoggedError{Code: code, Reason: reason, Message: message}
}

func (x *situation) play(t *testing.T, f *fixture) {
	base, err := url.Parse("http://relay/clusters/" + x.name)
	if err != nil {
		t.Fatal(err)
	}
	s := &situationLog{t: t}
	explainer := &relayclient.Explainer{Next: f.client.Transport, Base: base, Context: x.name, Report: func(r relayclient.Trouble) { s.last = r }}
	s.client = &restwatch.Client{HTTP: &http.Client{Transport: explainer}, Base: base}
	s.add(0, event.Selected{Selection: `{"source":"live","context":"c","group":"example.com","version":"v1","resource":"widgets","namespace":"","eras":["1.37"]}`}.Event(),
		event.InformerStarted{}.Event())
	if x.log != nil {
		x.log(s)
	} else {
		for range 2 {
			s.list()
			s.watch()
		}
	}
	read, err := doctor.Read(bytes.NewReader(x.record(t, s.events)))
	if err != nil || read.Warning != "" || len(read.Findings) != 1 || read.Findings[0].Rule != x.rule {
		t.Fatalf("%v; it found %+v, want one finding of %s", err, read, x.rule)
	}
	said := read.Findings[0]
	expectParts(t, strings.Join([]string{said.What.EN, said.Advice.EN, said.What.ZH, said.Advice.ZH}, "\n"), x.doctor)
	if s.last.Cause != x.cause {
		t.Errorf("the page's cause is %q, want %q: %s", s.last.Cause, x.cause, s.last.Words)
	}
	if c := cause.Find(s.last.Cause); c != nil {
		what, remedy := c.Say(cause.Args{Resource: "widgets"})
		expectParts(t, strings.Join([]string{s.last.Words, what.ZH, remedy.ZH}, "\n"), x.page)
	}
}

// record returns the recording of a situation, and holds that it is the one in its file.
func (x *situation) record(t *testing.T, events []*event.Entry) []byte {
	var b bytes.Buffer
	if err := tracefile.WriteFile(&b, tracefile.Header{Events: len(events)}, slices.Values(events)); err != nil {
		t.Fatal(err)
	}
	recording, path := ports.ReplaceAll(b.Bytes(), []byte("127.0.0.1:6443")), filepath.Join(recordings, x.name+".jsonl")
	if *writeSituations {
		if err := os.WriteFile(path, recording, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if file, err := os.ReadFile(path); !bytes.Equal(file, recording) {
		t.Errorf("%s is not what is recorded; go generate ./server/internal/relay writes it: %v", path, err)
	}
	return recording
}

func expectParts(t *testing.T, text string, parts []string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}
