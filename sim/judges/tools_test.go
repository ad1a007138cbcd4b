package judges

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/sim/internal/harness"
)

// node gets room for pods from kwok.
const node = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}`

// cluster is the shared cluster, with a node that is ready.
func cluster(t *testing.T) *harness.Cluster {
	t.Helper()
	c := harness.Shared(t)
	if _, err := c.KubectlWith(node, "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Kubectl("wait", "--for=condition=Ready", "node/node-1", "--timeout=50s"); err != nil {
		t.Fatal(err)
	}
	return c
}

// env lets a program find the cluster, and nothing of the user's.
func env(t *testing.T, c *harness.Cluster) []string {
	t.Helper()
	return []string{"KUBECONFIG=" + c.Kubeconfig, "HOME=" + t.TempDir()}
}

// TestHelm installs, changes and removes the chart of helm create. helm keeps its releases in Secrets, as it does by default.
func TestHelm(t *testing.T) {
	judge(t, "helm 3.22, Secrets as its driver", func() string {
		helm, dir, c := install(t, "helm.sh/helm/v3/cmd/helm@v3.22.0"), t.TempDir(), cluster(t)
		e := env(t, c)
		for _, step := range []struct{ command, want string }{
			{"create x", "Creating x"},
			{"install x ./x --wait --timeout 60s", "STATUS: deployed"},
			{"list", "deployed"},
			{"upgrade x ./x --set replicaCount=2 --wait --timeout 60s", "REVISION: 2"},
			{"rollback x 1 --wait --timeout 60s", "Rollback was a success"},
			{"history x", "Rollback to 1"},
			{"get manifest x", "kind: Deployment"},
			{"uninstall x --wait --timeout 60s", `release "x" uninstalled`},
		} {
			if out := run(t, dir, e, helm, strings.Fields(step.command)...); !strings.Contains(out, step.want) {
				t.Errorf("helm %s printed no %q but:\n%s", step.command, step.want, out)
			}
			if strings.HasPrefix(step.command, "upgrade") {
				d, err := c.Client.AppsV1().Deployments("default").Get(t.Context(), "x", metav1.GetOptions{})
				if err != nil || d.Status.ReadyReplicas != 2 {
					t.Errorf("after the upgrade: %v, %d replicas are ready", err, d.Status.ReadyReplicas)
				}
			}
		}
		left, err := c.Client.CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{LabelSelector: "owner=helm"})
		if err != nil || len(left.Items) > 0 {
			t.Errorf("%d releases are left, %v", len(left.Items), err)
		}
		return "create, install, list, upgrade, rollback, history, get, uninstall of the chart of helm create"
	})
}

// everyday are commands that kubectl 0.35 and 0.37 answer alike.
var everyday = []struct{ command, want string }{
	{"version", "Server Version: v1.37"},
	{"api-resources", "deployments"},
	{"explain deployment.spec.strategy", "rollingUpdate"},
	{"create namespace NS", "created"},
	{"create deployment web --image=nginx --replicas=2 -n NS", "deployment.apps/web created"},
	{"rollout status deployment/web -n NS --timeout=50s", "successfully rolled out"},
	{"get pods -n NS -o wide", "Running"},
	{"get all -n NS", "replicaset.apps/web"},
	{"describe deployment web -n NS", "ScalingReplicaSet"},
	{"scale deployment web --replicas=3 -n NS", "scaled"},
	{"set image deployment/web nginx=nginx:2 -n NS", "image updated"},
	{"rollout undo deployment/web -n NS", "rolled back"},
	{"expose deployment web --port=80 -n NS", "service/web exposed"},
	{"create secret generic s --from-literal=a=b -n NS", "secret/s created"},
	{"create configmap c --from-literal=a=b -n NS", "configmap/c created"},
	{"label configmap c tier=front -n NS", "labeled"},
	{"patch configmap c --type=merge -p {\"data\":{\"a\":\"c\"}} -n NS", "patched"},
	{"get configmap c -o jsonpath={.data.a} -n NS", "c"},
	{"create job once --image=none -n NS", "created"},
	{"wait --for=condition=Complete job/once -n NS --timeout=50s", "condition met"},
	{"create role reader --verb=get --resource=pods -n NS", "created"},
	{"create rolebinding readers --role=reader --user=ann -n NS", "created"},
	{"auth can-i get pods --as=ann -n NS", "yes"},
	{"create token default -n NS", "eyJ"},
	{"autoscale deployment web --max=5 -n NS", "autoscaled"},
	{"get events -n NS", "Scheduled"},
	{"delete deployment web -n NS", "deleted"},
	{"delete namespace NS --timeout=50s", "deleted"},
}

// TestKubectls runs everyday commands of two releases of kubectl.
func TestKubectls(t *testing.T) {
	askForeign(t)
	for release, program := range map[string]func(*testing.T) string{
		"0.35": func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "kubectl"))); err != nil {
				t.Fatal(err)
			}
			run(t, dir, nil, "go", "mod", "init", "kubectl")
			run(t, dir, nil, "go", "mod", "edit", "-require=k8s.io/kubectl@v0.35.10")
			run(t, dir, nil, "go", "build", "-mod=mod", "-ldflags=-X k8s.io/component-base/version.gitVersion=v1.35.10", "-o", "kubectl", ".")
			return filepath.Join(dir, "kubectl")
		},
		"0.37": func(t *testing.T) string { return filepath.Join(harness.Assets(t), "kubectl") },
	} {
		t.Run(release, func(t *testing.T) {
			judge(t, "kubectl "+release, func() string {
				kubectl, c := program(t), cluster(t)
				e, namespace := env(t, c), "kubectl-"+strings.ReplaceAll(release, ".", "-")
				for _, step := range everyday {
					out, err := try(t, t.TempDir(), e, kubectl, strings.Fields(strings.ReplaceAll(step.command, "NS", namespace))...)
					if err != nil || !strings.Contains(out, step.want) {
						t.Errorf("it printed no %q but:\n%s%v", step.want, out, err)
					}
				}
				return fmt.Sprintf("%d everyday commands", len(everyday))
			})
		})
	}
}

// TestClientNode runs a script with the client of Kubernetes for JavaScript.
func TestClientNode(t *testing.T) {
	judge(t, "@kubernetes/client-node 1.4.0", func() string {
		dir, c := t.TempDir(), cluster(t)
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "client-node"))); err != nil {
			t.Fatal(err)
		}
		run(t, dir, nil, "npm", "install", "--no-audit", "--no-fund", "--no-save", "@kubernetes/client-node@1.4.0")
		return strings.TrimSpace(run(t, dir, env(t, c), "node", "try.mjs"))
	})
}
