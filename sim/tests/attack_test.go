package tests

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"informerscope/sim/internal/harness"
)

const (
	// answerPatience is for how long the server may take to answer a list after an attack. The table says how long it took: a machine that does much else
	// is slower than the attack makes the server.
	answerPatience = 5 * time.Second
	// attackMemory is how much resident memory an attack may leave, in MB above that before the first one.
	attackMemory = 2000
)

var long = flag.Bool("sim.long", false, "make the attacks that take long too, and open 5000 watches instead of 1000")

// attack is a request that means harm, with the answer of kube-apiserver.
type attack struct {
	name              string
	method, path      string
	contentType, body string
	status            int
	words             string // that the answer has
	long              bool   // whether it is made only if long attacks are asked for
}

// attacks are requests that have killed or frozen API servers. The one that a row makes ready for the next is part of it.
func attacks() []attack {
	const (
		jsonType, patchType, mergeType, applyType = "application/json", "application/json-patch+json", "application/strategic-merge-patch+json",
			"application/apply-patch+yaml"
		maps   = "/api/v1/namespaces/default/configmaps"
		crds   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
		things = "/apis/attack.example.org/v1/namespaces/default/"
	)
	object := func(name string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"},"data":{"a":"b"}}`
	}
	many := func(n int, separator string, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteString(separator)
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	repeat := func(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }
	crd := func(plural, schema string) string {
		return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%[1]s.attack.example.org"},"spec":{
			"group":"attack.example.org","scope":"Namespaced","names":{"plural":"%[1]s","kind":"%[1]s"},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":%[2]s}}]}}`, plural, schema)
	}
	thing := func(kind, rest string) string {
		return fmt.Sprintf(`{"apiVersion":"attack.example.org/v1","kind":"%s","metadata":{"name":"one"},%s}`, kind, rest)
	}
	nested := func(depth int, open, inner, end string) string {
		return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
	}
	return []attack{
		{"Deployment with revisionHistoryLimit -1", "POST", "/apis/apps/v1/namespaces/default/deployments", jsonType, `{"apiVersion":"apps/v1","kind":"Deployment",
			"metadata":{"name":"minus"},"spec":{"revisionHistoryLimit":-1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
			"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, 422, "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0", false},
		{"ConfigMap for the patches", "POST", maps, jsonType, object("victim"), 201, "", false},
		{"JSON patch: 27 copies, each of all before", "PATCH", maps + "/victim", patchType, "[" + many(27, ",", `{"op":"copy","from":"/data","path":"/data/c%d"}`) + "]", 422, `the server rejected our request due to an error in our request`, false},
		{"JSON patch: 9,990 copies into its own depth", "PATCH", maps + "/victim", patchType, "[" + repeat(9990, `{"op":"copy","from":"/data","path":"/data/a"}`) + "]", 422, `the server rejected our request due to an error in our request`, false},
		{"JSON patch: a move into its own depth", "PATCH", maps + "/victim", patchType, `[{"op":"move","from":"/data","path":"/data/a"}]`, 422, `the server rejected our request due to an error in our request`, false},
		{"JSON patch: 100,000 operations", "PATCH", maps + "/victim", patchType, "[" + repeat(100_000, `{"op":"remove","path":"/a"}`) + "]", 413, `The allowed maximum operations in a JSON patch is 10000, got 100000`, false},
		{"strategic merge patch: 20,000 finalizers", "PATCH", maps + "/victim", mergeType, `{"metadata":{"finalizers":[` + many(20_000, ",", `"example.org/a%d"`) + `]}}`, 200, ``, false},
		{"strategic merge patch: 20,000 other finalizers", "PATCH", maps + "/victim", mergeType, `{"metadata":{"finalizers":[` + many(20_000, ",", `"example.org/b%d"`) + `]}}`, 200, ``, true},
		{"ConfigMap with 100,000 keys", "POST", maps, jsonType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"keys"},"data":{` + many(100_000, ",", `"k%d":""`) + `}}`, 201, ``, false},
		{"ConfigMap with 100,000 annotations", "POST", maps, jsonType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"annotations","annotations":{` + many(100_000, ",", `"k%d":""`) + `}}}`, 422, `metadata.annotations: Too long: may not be more than 262144 bytes`, false},
		{"list by a selector of 120,000 terms", "GET", maps + "?labelSelector=" + url.QueryEscape(many(120_000, ",", "a%d")), "", "", 431, `431 Request Header Fields Too Large`, false},
		{"Deployment with a selector of 120,000 terms", "POST", "/apis/apps/v1/namespaces/default/deployments", jsonType, `{"apiVersion":"apps/v1","kind":"Deployment",
			"metadata":{"name":"terms"},"spec":{"selector":{"matchLabels":{` + many(120_000, ",", `"a%d":"b"`) + `}},"template":{"metadata":{"labels":{"a":"b"}},
			"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, 422, `does not match template`, false},
		{"CRD with the pattern (a+)+$", "POST", crds, jsonType, crd("patterns", `{"type":"object","properties":{"spec":{"type":"string","pattern":"^(a+)+$"}}}`), 201, "", false},
		{"object of it: 100,000 letters a, and one b", "POST", things + "patterns", jsonType, thing("patterns", `"spec":"`+strings.Repeat("a", 100_000)+`b"`), 422, `spec in body should match`, false},
		{"CRD with the pattern (((a{100}){100}){100})", "POST", crds, jsonType, crd("repeats", `{"type":"object","properties":{"spec":{"type":"string","pattern":"(((a{100}){100}){100})"}}}`), 422, `invalid repeat count`, false},
		{"CRD with 20,000 properties", "POST", crds, jsonType, crd("wide", `{"type":"object","properties":{`+many(20_000, ",", `"p%d":{"type":"string"}`)+`}}`), 201, ``, false},
		{"object of it: 20,000 properties", "POST", things + "wide", jsonType, thing("wide", many(20_000, ",", `"p%d":"v"`)), 201, ``, false},
		{"CRD with a schema 9,990 deep", "POST", crds, jsonType, crd("deep", nested(4992, `{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`)), 201, ``, false},
		{"CRD with a schema 990 deep", "POST", crds, jsonType, crd("shallow", nested(492, `{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`)), 201, ``, false},
		{"CRD for an object of any depth", "POST", crds, jsonType, crd("any", `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}`), 201, "", false},
		{"object 9,990 deep", "POST", things + "any", jsonType, thing("any", `"spec":`+nested(9989, `{"a":`, "1", "}")), 201, ``, false},
		{"server-side apply of an object 9,980 deep", "PATCH", things + "any/two?fieldManager=test", applyType, strings.Replace(thing("any", `"spec":`+nested(9979, `{"a":`, "1", "}")), "one", "two", 1), 201, ``, false},
		{"object 20,000 deep", "POST", things + "any", jsonType, thing("any", `"spec":`+nested(20_000, `{"a":`, "1", "}")), 400, `json parse error`, false},
	}
}

// TestAttacks sends requests that mean harm. Each has its answer in time, and after each the server answers a list at once and has not grown without bound.
// The answers are those of kube-apiserver, which this server is.
func TestAttacks(t *testing.T) {
	c := harness.Start(t, "--objects=0")
	config := rest.CopyConfig(c.Config)
	config.NextProtos = []string{"http/1.1"} // with HTTP/2 the client itself refuses the longest headers
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	table := &table{t: t, c: c, before: residentMB(c)}
	for _, a := range attacks() {
		if a.long && !*long {
			continue
		}
		var status int
		var words string
		var begun time.Time
		var failure error
		eventually(t, func(ctx context.Context) error {
			begun = time.Now()
			if status, words, failure = send(ctx, client, a.method, c.Config.Host+a.path, a.contentType, a.body); failure == nil && status == http.StatusNotFound {
				return errors.New(words) // the resource of a CRD comes a little later than the CRD
			}
			return nil
		})
		table.row(a.name, status, words, time.Since(begun))
		if failure != nil {
			t.Errorf("%s: %v", a.name, failure)
		} else if (status != a.status || !strings.Contains(words, a.words)) && status != http.StatusGatewayTimeout { // which is the answer to all that takes long
			t.Errorf("%s: the answer is %d %.300s, want %d %s", a.name, status, words, a.status, a.words)
		}
	}
	t.Run("watches", func(t *testing.T) { watchesThatReadNothing(t, c, table) })
	t.Log("\n" + table.String())
}

// send sends a request and returns the status of the answer, and its message.
func send(ctx context.Context, client *http.Client, method, to, contentType, body string) (status int, words string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err.Error(), err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	var message metav1.Status
	if json.Unmarshal(text, &message) == nil && message.Message != "" {
		return answer.StatusCode, message.Message, err
	}
	return answer.StatusCode, string(bytes.TrimSpace(text)), err
}

// table is what the attacks came to.
type table struct {
	t      *testing.T
	c      *harness.Cluster
	before int
	strings.Builder
}

// row checks that the server is well after an attack, and notes it.
func (b *table) row(name string, status int, words string, took time.Duration) {
	b.t.Helper()
	if b.Len() == 0 {
		fmt.Fprintf(b, "| request | status | words | seconds | seconds of a list after it | MB resident (%d before) |\n|-|-|-|-|-|-|\n", b.before)
	}
	if status < 300 {
		words = ""
	}
	if len(words) > 120 {
		words = words[:120]
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), answerPatience)
	defer cancel()
	begun := time.Now()
	if _, err := b.c.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{}); err != nil {
		b.t.Errorf("after %s a list is not answered within %s: %v", name, answerPatience, err)
	}
	listed, after := time.Since(begun), residentMB(b.c)
	fmt.Fprintf(b, "| %s | %d | %s | %.2f | %.2f | %d |\n", name, status, strings.NewReplacer("|", `\|`, "\n", " ").Replace(words), took.Seconds(),
		listed.Seconds(), after)
	if after > b.before+attackMemory {
		b.t.Errorf("after %s the process has %d MB, %d before; at most %d MB more are allowed", name, after, b.before, attackMemory)
	}
}

// watchesThatReadNothing opens watches that never read, writes beside them, and sees that the server answers.
func watchesThatReadNothing(t *testing.T, c *harness.Cluster, table *table) {
	watches := 1000
	if *long {
		watches = 5000
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < uint64(watches)+2000 {
		watches = 1000
		t.Logf("only %d watches: this machine allows a process %d open files", watches, files.Cur)
	}
	namespace := newNamespace(t, c)
	if err := createConfigMap(t.Context(), c, namespace, "written", metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{200, watches} {
		begun := time.Now()
		conns, err := openWatches(t.Context(), c, namespace, n)
		t.Cleanup(func() {
			for _, conn := range conns {
				_ = conn.Close()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		table.row(fmt.Sprintf("%d watches that read nothing", n), 200, "", time.Since(begun))
		begun = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for i := range 1000 {
			patch := fmt.Sprintf(`{"data":{"a":"%d %s"}}`, i, strings.Repeat("x", 1000))
			if _, err := c.Client.CoreV1().ConfigMaps(namespace).Patch(ctx, "written", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				t.Fatalf("write %d beside %d watches: %v", i, n, err)
			}
		}
		table.row(fmt.Sprintf("1,000 writes of 1 kB beside %d watches", n), 200, "", time.Since(begun))
	}
}

// openWatches opens so many watches of a namespace's ConfigMaps, each on a connection of its own, and reads the status of each and nothing more.
func openWatches(ctx context.Context, c *harness.Cluster, namespace string, n int) ([]net.Conn, error) {
	host := strings.TrimPrefix(c.Config.Host, "https://")
	secure, err := rest.TLSConfigFor(c.Config)
	if err != nil {
		return nil, err
	}
	secure.NextProtos = []string{"http/1.1"}
	request := fmt.Sprintf("GET /api/v1/namespaces/%s/configmaps?watch=1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", namespace, host,
		c.Config.BearerToken)
	conns := make([]net.Conn, n)
	errs := make([]error, n)
	next := make(chan int)
	var dialers sync.WaitGroup
	for range 16 {
		dialers.Go(func() {
			for i := range next {
				conns[i], errs[i] = openWatch(ctx, host, secure, request)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	dialers.Wait()
	return conns, errors.Join(errs...)
}

func openWatch(ctx context.Context, host string, secure *tls.Config, request string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := (&tls.Dialer{Config: secure}).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	status := make([]byte, len("HTTP/1.1 200"))
	if _, err = io.WriteString(conn, request); err == nil {
		_, err = io.ReadFull(conn, status)
	}
	if err == nil && string(status) != "HTTP/1.1 200" {
		err = fmt.Errorf("a watch was answered with %q", status)
	}
	return conn, err
}
