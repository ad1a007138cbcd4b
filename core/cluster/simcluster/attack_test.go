package simcluster

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// attackLimit is the time that the worst of requests may take: far more than it does, for a processor that is busy with other tests too.
const attackLimit = time.Minute

// within fails the test if f takes longer than attackLimit.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	late := time.NewTimer(attackLimit)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		t.Fatalf("still busy after %v", attackLimit)
	}
}

const attackDeployment = `{"metadata":{"name":"a"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},` +
	`"spec":{"containers":[{"name":"c","image":"i"}]}}}}`

// TestSpecsThatControllersRead sends numbers that no controller can follow: kube-apiserver refuses them, or they are followed.
func TestSpecsThatControllersRead(t *testing.T) {
	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	for _, x := range []struct {
		patch string
		code  int
		says  string
	}{
		{`{"spec":{"revisionHistoryLimit":-1}}`, 422, "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"},
		{`{"spec":{"revisionHistoryLimit":0}}`, 200, ""},
		{`{"spec":{"replicas":-1}}`, 422, "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
		{`{"spec":{"replicas":2147483647}}`, 422, "holds at most"},
		{`{"spec":{"replicas":1e10}}`, 422, "spec.replicas"},
		{`{"spec":{"replicas":9223372036854775808}}`, 422, "spec.replicas"},
		{`{"spec":{"replicas":"many"}}`, 422, "spec.replicas"},
		{`{"spec":{"minReadySeconds":-1}}`, 422, "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"},
		{`{"spec":{"progressDeadlineSeconds":-1}}`, 422, "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":-1}}}}`, 422, "spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0"},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"-5%"}}}}`, 422, "a valid percent string must be"},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"99999999999999999999%"}},"template":{"metadata":{"annotations":{"a":"b"}}}}}`, 200, ""},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"9000000000000000000%"}},"template":{"metadata":{"annotations":{"a":"b"}}}}}`, 200, ""},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":2147483647,"maxUnavailable":2147483647}},"template":{"metadata":{"annotations":{"a":"b"}}}}}`, 200, ""},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}}}}`, 422, "may not be 0 when `maxSurge` is 0"},
		{`{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"101%"}}}}`, 422, "must not be greater than 100%"},
		{`{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":-1}}}}`, 200, ""},
		{`{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":9223372036854775807}}}}`, 200, ""},
	} {
		t.Run(x.patch, func(t *testing.T) {
			within(t, func() {
				c, clk := newFake(Options{Seed: 7, Objects: 5})
				if a := do(c, "POST", deployments, attackDeployment); a.code != 201 {
					t.Errorf("%d %s", a.code, a.body)
					return
				}
				play(c, clk, 10*time.Second, 50*time.Millisecond)
				a := do(c, "PATCH", deployments+"/a", x.patch, "Content-Type", mergePatch)
				if a.code != x.code || !strings.Contains(a.get("message").String(), x.says) {
					t.Errorf("got %d %.500s, want %d with %q", a.code, a.body, x.code, x.says)
				}
				play(c, clk, 30*time.Second, 50*time.Millisecond)
				do(c, "PATCH", deployments+"/a", `{"spec":{"template":{"metadata":{"labels":{"b":"c"}}}}}`, "Content-Type", mergePatch)
				play(c, clk, 30*time.Second, 50*time.Millisecond)
				if n := c.Stats().Objects["pods"]; n > 50 {
					t.Errorf("there are %d pods", n)
				}
			})
		})
	}
}

// TestAttacks sends what costs much. Each answer is a Status that says why, or the object, and the cluster serves on.
func TestAttacks(t *testing.T) {
	const maps = "/api/v1/namespaces/default/configmaps"
	object := func(members string) string { return `{"metadata":{"name":"a"` + members + `}` }
	set := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"example.com/%06d":%q`, i, value)
		}
		return "{" + b.String()[1:] + "}"
	}
	var bad strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&bad, `,"-%d":""`, i)
	}
	var terms strings.Builder
	for i := range 120_000 {
		fmt.Fprintf(&terms, ",k%d!=v", i)
	}
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	type request struct {
		method, path, form, body string
		code                     int
		says                     string
	}
	for name, requests := range map[string][]request{
		"a hundred thousand keys": {{"POST", maps, "", object("") + `,"data":` + set(100_000, "") + "}", 500, "etcdserver: request is too large"},
			{"POST", maps, "", object("") + `,"data":` + set(30_000, "") + "}", 201, ""}, {"GET", maps, "", "", 200, ""}},
		"a hundred thousand annotations": {{"POST", maps, "", object(`,"annotations":`+set(100_000, "v")) + "}", 422, "metadata.annotations: Too long: may not be more than 262144 bytes"}},
		"a hundred thousand labels":      {{"POST", maps, "", object(`,"labels":{`+bad.String()[1:]+"}") + "}", 422, "metadata.labels"}},
		"a selector of many labels": {{"GET", maps + "?labelSelector=" + terms.String()[1:], "", "", 200, ""},
			{"DELETE", maps + "?labelSelector=" + terms.String()[1:], "", "", 200, ""}},
		"a selector of many fields": {{"GET", maps + "?fieldSelector=" + strings.Repeat("metadata.name!=v,", 120_000) + "metadata.name=x", "", "", 200, ""},
			{"GET", maps + "?fieldSelector=" + terms.String()[1:], "", "", 400, "is not a known field selector"}},
		"an object nested deeply": {{"POST", maps, "", object("") + `,"data":` + deep(9990) + "}", 201, ""}, {"GET", maps, "", "", 200, ""},
			{"PATCH", maps + "/a", mergePatch, `{"metadata":{"labels":{"a":"b"}}}`, 200, ""}},
		"an object nested too deeply": {{"POST", maps, "", object("") + `,"data":` + deep(10_000) + "}", 400, ""}},
		"a body over the limit":       {{"POST", maps, "", strings.Repeat(" ", maxBody+1), 413, "limit is 3145728"}},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func() {
				c := New(Options{Seed: 7, Objects: 5, Still: true})
				start := time.Now()
				for _, r := range requests {
					a := do(c, r.method, r.path, r.body, "Content-Type", r.form)
					if a.code != r.code || !strings.Contains(a.get("message").String(), r.says) {
						t.Errorf("%s %.100s: got %d %.500s, want %d with %q", r.method, r.path, a.code, a.body, r.code, r.says)
					}
				}
				t.Logf("%v", time.Since(start))
				if a := do(c, "GET", "/api/v1/namespaces/default", ""); a.code != http.StatusOK {
					t.Errorf("afterwards: %d %.500s", a.code, a.body)
				}
			})
		})
	}
}
