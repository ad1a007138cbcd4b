package probe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"informerscope/core/ask/doctor"
	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

// faults are what is put into the two programs, and the rule that must find it first. docs/doctor.md has them as a table.
var faults = []struct {
	program, fault, rule string
	seconds              int    // that the doctor records
	says                 string // part of the finding
	caption              string // what the overview of several informers says; a pattern, as is run
	run                  string // what the inside of the work queue says of the reconcile at that moment
}{
	{"faultycontroller", "", "", 30, "", "", ""},
	{"faultyoperator", "", "", 30, "", "", ""},
	{"faultycontroller", "slow", "slow-handler", 40, "main.audit takes ", "", ""},
	{"faultyoperator", "status", "self-caused-loop", 30, "Each time its own write did: PATCH deployments.apps/status",
		"wakes itself: [0-9,]+ times in the last minute", "reconcile.*own write"},
	{"faultyoperator", "twice", "reads-before-own-writes", 30, "its read did not show that yet",
		"created web-.*, though it had made web-", "reconcile.*listed [0-9]+.*too old.*POST"},
	{"faultyoperator", "starved", "starved-keys", 30, "that came later were taken first", "waits in the work queue: [0-9,]+ keys", ""},
	{"faultycontroller", "cut", "cut-watches", 30, "Watches of configmaps that ended within a minute", "", ""},
	{"faultycontroller", "silent", "dead-watch", 60, "Watches that turned out to be dead: 1", "", ""},
	{"faultyoperator", "silent", "dead-watch", 40, "which an own write made", "", ""},
	{"faultycontroller", "handlers", "leaked-handlers", 30, "handlers named", "", ""},
	{"faultycontroller", "mutate", "mutated-objects", 30, "which it shares with the store", "", ""},
}

// TestEachFaultIsFoundFirst runs an operator and a controller with each fault, on a real control plane. The doctor must find that fault first, and nothing of
// weight without one. The page that is attached is photographed.
func TestEachFaultIsFoundFirst(t *testing.T) {
	if !*foreignControllers {
		t.Skip("make judges runs it: controller-runtime has to be compiled")
	}
	operator := buildProbed(t, "faultyoperator", readProgram(t, "faultyoperator"), "sigs.k8s.io/controller-runtime@v0.25.2", "controllerruntime")
	controller := buildProbed(t, "faultycontroller", readProgram(t, "faultycontroller"), newestClientGo)
	informerscope, err := harness.BuildServer()
	if err != nil {
		t.Fatal(err)
	}
	b := browser.StartForTest(t)
	cp := cluster.StartForTest(t, cluster.Options{})
	config := rest.CopyConfig(cp.Config())
	config.QPS = -1
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("programs", func(t *testing.T) {
		for _, x := range faults {
			name := strings.TrimPrefix(x.program, "faulty") + "-" + x.fault
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ns := "fault-" + strings.TrimSuffix(name, "-")
				populate(t, c, ns, x.fault)
				program := controller
				if x.program == "faultyoperator" {
					program = operator
				}
				url, _, _ := startProgram(t, program, "-fault="+x.fault, "-namespace="+ns, cp.Kubeconfig)
				p := &probed{t, url}
				waitUntil(t, "its informers have synced", func() bool {
					var list foreignList
					p.get("/debug/informerscope/", &list)
					n := 0
					for _, x := range list.Informers {
						if x.Synced {
							n++
						}
					}
					return n > 0 && (n == 2 || x.program == "faultycontroller")
				})
				r := p.attach()
				waitUntil(t, "the recording begins", func() bool { return r.has(`"Restored"`) })
				srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--attach="+url+"/debug/informerscope/")
				page := harness.OpenStage(t, b, srv, "&lang=en", 1440, 810)
				end := change(t, c, ns)
				defer end()
				findings := doctorOn(t, informerscope, url+"/debug/informerscope/", x.seconds, func() { p.get("/begin", nil) })
				for _, f := range findings {
					t.Logf("%s %s (%s): %s", f.Weight, f.Rule, f.Informer, f.What.EN)
				}
				harness.Shot(t, page, "fault-"+name)
				if x.caption != "" {
					harness.WaitUntil(t, page, "new RegExp("+harness.Quote(x.caption)+").test(document.querySelector('.say').textContent)")
				}
				if first := diagnose(t, page, "fault-"+name); x.rule != "" && first != x.rule {
					t.Errorf("the page's first finding is %q", first)
				}
				if x.run != "" {
					harness.EvalIn[bool](t, page, `(document.querySelector('[data-station=work] .row-name').click(), true)`)
					harness.WaitUntil(t, page, `/Inside the work queue/.test(document.querySelector(".inside h2").textContent)`)
					harness.Settle(t, page)
					harness.Shot(t, page, "fault-"+name+"-reconcile")
				}
				if said := harness.EvalIn[string](t, page, `document.querySelector(".tracksv").textContent`); !regexp.MustCompile(x.run).MatchString(said) {
					t.Errorf("the stage does not say %s: %s", x.run, said)
				}
				switch {
				case x.rule == "":
					if doctor.HasWeight(findings) {
						t.Error("it found something in a healthy program")
					}
				case len(findings) == 0 || findings[0].Rule != x.rule || !strings.Contains(findings[0].What.EN, x.says):
					t.Errorf("the first finding is not %s with %q", x.rule, x.says)
				}
			})
		}
	})
}

// diagnose opens the diagnosis of the page's log as a reader does, and goes to the moment of its first finding, whose rule it returns.
func diagnose(t *testing.T, page *browser.Page, name string) (rule string) {
	t.Helper()
	harness.Diagnose(t, page)
	harness.WaitUntil(t, page, `document.querySelector(".dgf") || /Nothing is wrong/.test(document.querySelector(".dg .kh span")?.textContent)`)
	harness.Shot(t, page, name+"-diagnosis")
	rule = harness.EvalIn[string](t, page, `document.querySelector(".dgf")?.dataset.rule ?? ""`)
	if rule != "" {
		t.Log(harness.EvalIn[string](t, page, `document.querySelector(".dgf").innerText`))
		harness.EvalIn[bool](t, page, `(document.querySelector(".dgo").click(), true)`)
		harness.Await(t, page, time.Minute, "s.view.mode === 'paused'")
		harness.Settle(t, page)
		harness.Shot(t, page, name+"-moment")
	}
	return rule
}

// populate makes what the programs work on: three Deployments and five ConfigMaps; 2,000 more for the fault "starved".
func populate(t *testing.T, c kubernetes.Interface, ns, fault string) {
	t.Helper()
	ctx := t.Context()
	if _, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		labels := map[string]string{"app": "web"}
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i)}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}}}}}
		if _, err := c.AppsV1().Deployments(ns).Create(ctx, d, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n, prefix := 5, "plain"
	if fault == "starved" {
		n, prefix = 2000, "urgent"
	}
	err := cluster.Parallel(n, func(i int) error {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", prefix, i)}, Data: map[string]string{"n": "0"}}
		_, err := c.CoreV1().ConfigMaps(ns).Create(ctx, cm, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// change changes ConfigMaps, about eight times a second, and a Deployment now and then, until end is called.
func change(t *testing.T, c kubernetes.Interface, ns string) (end func()) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(120 * time.Millisecond)
		defer tick.Stop()
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			patch := fmt.Appendf(nil, `{"data":{"n":"%d"}}`, i)
			_, _ = c.CoreV1().ConfigMaps(ns).Patch(t.Context(), fmt.Sprintf("plain-%d", i%5), types.MergePatchType, patch, metav1.PatchOptions{})
			if i%40 == 0 {
				patch := fmt.Appendf(nil, `{"spec":{"minReadySeconds":%d}}`, i)
				_, _ = c.AppsV1().Deployments(ns).Patch(t.Context(), fmt.Sprintf("web-%d", i/40%3), types.MergePatchType, patch, metav1.PatchOptions{})
			}
		}
	}()
	return func() { close(stop); <-done }
}

// doctorOn runs informerscope doctor on a process, and begins the fault once it records.
func doctorOn(t *testing.T, program, url string, seconds int, begin func()) []doctor.Finding {
	t.Helper()
	cmd := exec.CommandContext(harness.Timeout(t, 5*time.Minute), program, "doctor", "--json", fmt.Sprintf("--seconds=%d", seconds), url)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begin()
	_ = cmd.Wait() // 1: there are findings
	var report struct{ Findings []doctor.Finding }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), log.String())
	}
	return report.Findings
}
