package tests

import (
	"strings"
	"testing"
)

// everyday are kubectl's everyday commands, in this order, in a namespace of their own. A word with spaces is in single quotes.
var everyday = []struct {
	command string
	stdin   string
	want    string // that the output has, in lines: each is looked for
	fails   bool   // whether kubectl ends with a status that is not 0
}{
	{command: "version", want: "Server Version: v1.37"},
	{command: "cluster-info", want: "Kubernetes control plane\nis running at\nhttps://127.0.0.1:"},
	{command: "config view", want: "current-context: informerscope-sim\ntoken: REDACTED"},
	{command: "config current-context", want: "informerscope-sim"},
	{command: "api-versions", want: "apps/v1\nbatch/v1\nrbac.authorization.k8s.io/v1"},
	{command: "api-resources", want: "deployments                         deploy\nsecrets\ncustomresourcedefinitions"},
	{command: "explain deployment.spec.strategy", want: "KIND:       Deployment\nrollingUpdate\nThe deployment strategy to use"},
	{command: "explain pod --recursive", want: "terminationGracePeriodSeconds\nephemeralContainers"},
	{command: "create deployment web --image=nginx:1.27 --replicas=2", want: "deployment.apps/web created"},
	{command: "create deployment web --image=nginx:1.27", want: `deployments.apps "web" already exists`, fails: true},
	{command: "rollout status deployment/web --timeout=50s", want: `deployment "web" successfully rolled out`},
	{command: "wait --for=condition=Available deployment/web --timeout=50s", want: "condition met"},
	{command: "get deployments", want: "NAME   READY   UP-TO-DATE   AVAILABLE\nweb    2/2"},
	{command: "get deployments.v1.apps web -o yaml", want: "kind: Deployment\navailableReplicas: 2"},
	{command: "get pods -o json", want: `"phase": "Running"`},
	{command: "get pods -o wide", want: "NOMINATED NODE\nnode-1\n10.244."},
	{command: "get pods --show-labels", want: "LABELS\napp=web"},
	{command: "get pods -l app=web -o name", want: "pod/web-"},
	{command: "get pods --field-selector=status.phase=Pending", want: "No resources found"},
	{command: "get pods -o custom-columns=POD:.metadata.name,ON:.spec.nodeName", want: "POD\nON\nnode-1"},
	{command: "get pods -o jsonpath={.items[*].status.phase}", want: "Running Running"},
	{command: "get pods -A", want: "NAMESPACE\neveryday"},
	{command: "get pods -w --request-timeout=1s", want: "web-\nRunning"},
	{command: "get nodes", want: "node-1   Ready"},
	{command: "get all", want: "deployment.apps/web\nreplicaset.apps/web-\npod/web-"},
	{command: "get pod missing", want: `pods "missing" not found`, fails: true},
	{command: "get nothings", want: `the server doesn't have a resource type "nothings"`, fails: true},
	{command: "describe pod -l app=web", want: "Node:             node-1\nControlled By:  ReplicaSet/web-"},
	{command: "describe node node-1", want: "Allocated resources\nNon-terminated Pods:\nReady"},
	{command: "describe deployment web", want: "StrategyType:           RollingUpdate\nScaled up replica set"},
	{command: "describe namespace everyday", want: "Status:       Active\nNo resource quota"},
	{command: "events", want: "ScalingReplicaSet"},
	{command: "get events --sort-by=.metadata.creationTimestamp", want: "Scheduled"},
	{command: "scale deployment web --replicas=3", want: "deployment.apps/web scaled"},
	{command: "scale deployment web --current-replicas=7 --replicas=1", want: "Expected replicas to be 7, was 3", fails: true},
	{command: "set image deployment/web nginx=nginx:1.28", want: "deployment.apps/web image updated"},
	{command: "rollout status deployment/web --timeout=50s", want: "successfully rolled out"},
	{command: "rollout history deployment/web", want: "REVISION  CHANGE-CAUSE\n2 "},
	{command: "rollout undo deployment/web", want: "deployment.apps/web rolled back"},
	{command: "rollout restart deployment/web", want: "deployment.apps/web restarted"},
	{command: "rollout status deployment/web --timeout=50s", want: "successfully rolled out"},
	{command: "autoscale deployment web --min=1 --max=5 --cpu=80%", want: "horizontalpodautoscaler.autoscaling/web autoscaled"},
	{command: "get hpa", want: "Deployment/web"},
	{command: "expose deployment web --port=80", want: "service/web exposed"},
	{command: "get service web", want: "ClusterIP   10.0."},
	{command: "get endpointslices -l kubernetes.io/service-name=web", want: "10.244."},
	{command: "edit deployment web", want: "Edit cancelled, no changes made."},
	{command: "label deployment web tier=front", want: "deployment.apps/web labeled"},
	{command: "annotate deployment web note=kept", want: "deployment.apps/web annotated"},
	{command: `patch deployment web -p '{"metadata":{"labels":{"by":"strategic"}}}'`, want: "deployment.apps/web patched"},
	{command: `patch deployment web --type=merge -p '{"metadata":{"labels":{"by":"merge"}}}'`, want: "deployment.apps/web patched"},
	{command: `patch deployment web --type=json -p '[{"op":"replace","path":"/metadata/labels/by","value":"json"}]'`, want: "deployment.apps/web patched"},
	{command: "get deployment web --show-labels", want: "by=json\ntier=front"},
	{command: "create -f -", stdin: config("one"), want: "configmap/settings created"},
	{command: "diff -f -", stdin: config("two"), want: "-  colour: one\n+  colour: two", fails: true},
	{command: "apply -f -", stdin: config("two"), want: "configmap/settings configured"},
	{command: "apply -f -", stdin: config("two"), want: "configmap/settings unchanged"},
	{command: "apply --server-side -f -", stdin: config("two"), want: "configmap/settings serverside-applied"},
	{command: "apply --server-side --field-manager=other -f -", stdin: config("three"), want: "Apply failed with 1 conflict\n.data.colour", fails: true},
	{command: "apply --dry-run=server -f -", stdin: config("four"), want: "configmap/settings configured (server dry run)"},
	{command: "replace -f -", stdin: config("five"), want: "configmap/settings replaced"},
	{command: "get configmap settings -o jsonpath={.data.colour}", want: "five"},
	{command: "apply -f -", stdin: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typo}\nspec: {}\n", want: `unknown field "spec"`, fails: true},
	{command: "create configmap letters --from-literal=a=b", want: "configmap/letters created"},
	{command: "create secret generic password --from-literal=word=open", want: "secret/password created"},
	{command: "get secret password -o jsonpath={.data.word}", want: "b3Blbg=="},
	{command: "create serviceaccount robot", want: "serviceaccount/robot created"},
	{command: "create token robot", want: "eyJ"},
	{command: "create role reader --verb=get,list --resource=pods", want: "role.rbac.authorization.k8s.io/reader created"},
	{command: "create rolebinding readers --role=reader --user=ann", want: "rolebinding.rbac.authorization.k8s.io/readers created"},
	{command: "auth whoami", want: "Username\nadmin\nsystem:masters"},
	{command: "auth can-i delete nodes", want: "yes"},
	{command: "auth can-i list pods --as=ann", want: "yes"},
	{command: "auth can-i delete pods --as=ann", want: "no", fails: true},
	{command: "get pods --as=ann", want: "web-"},
	{command: "get secrets --as=ann", want: `secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" in the namespace "everyday"`, fails: true},
	{command: "create job once --image=busybox", want: "job.batch/once created"},
	{command: "wait --for=condition=Complete job/once --timeout=50s", want: "condition met"},
	{command: "create cronjob nightly --image=busybox --schedule='0 3 * * *'", want: "cronjob.batch/nightly created"},
	{command: "create job now --from=cronjob/nightly", want: "job.batch/now created"},
	{command: "create ingress site --rule=example.org/*=web:80", want: "ingress.networking.k8s.io/site created"},
	{command: "describe ingress site", want: "example.org\nweb:80 (10.244."},
	{command: "create quota room --hard=configmaps=20", want: "resourcequota/room created"},
	{command: "create poddisruptionbudget careful --selector=app=web --min-available=1", want: "poddisruptionbudget.policy/careful created"},
	{command: "create priorityclass everyday-high --value=1000", want: "priorityclass.scheduling.k8s.io/everyday-high created"},
	{command: "run alone --image=nginx", want: "pod/alone created"},
	{command: "wait --for=jsonpath={.status.phase}=Running pod/alone --timeout=50s", want: "condition met"},
	{command: "logs alone", want: "the pods of this cluster run no containers", fails: true},
	{command: "exec alone -- ls", want: "the pods of this cluster run no containers", fails: true},
	{command: "get --raw /api/v1/namespaces/everyday/services/web/proxy/", want: "nothing listens at 10.244.", fails: true},
	{command: "top nodes", want: "Metrics API not available", fails: true},
	{command: "delete pod alone --wait", want: `pod "alone" deleted`},
	{command: "taint node node-2 only=few:NoSchedule", want: "node/node-2 tainted"},
	{command: "taint node node-2 only-", want: "node/node-2 untainted"},
	{command: "cordon node-1", want: "node/node-1 cordoned"},
	{command: "drain node-1 --ignore-daemonsets --force --timeout=50s", want: "evicting pod everyday/web-\nnode/node-1 drained"},
	{command: "uncordon node-1", want: "node/node-1 uncordoned"},
	{command: "delete deployment,service,hpa,ingress web site --ignore-not-found", want: `deployment.apps "web" deleted`},
	{command: "delete configmap --all", want: `configmap "settings" deleted`},
}

func config(colour string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: " + colour + "}\n"
}

// TestKubectl runs kubectl's everyday commands and checks what they print.
func TestKubectl(t *testing.T) {
	c := cluster(t)
	addNode(t, c, "node-2")
	mustKubectl(t, c, "create", "namespace", "everyday")
	waitServiceAccount(t, c, "everyday")
	for _, row := range everyday {
		t.Run(row.command, func(t *testing.T) {
			out, err := c.KubectlWith(row.stdin, append([]string{"-n", "everyday"}, split(row.command)...)...)
			if row.fails != (err != nil) {
				t.Errorf("it ended with %v, want an error: %t; it printed:\n%s", err, row.fails, out)
			}
			for _, want := range strings.Split(row.want, "\n") {
				if !strings.Contains(out, want) {
					t.Errorf("it printed no %q but:\n%s", want, out)
				}
			}
		})
	}
	mustKubectl(t, c, "delete", "namespace", "everyday", "--timeout=50s")
	mustKubectl(t, c, "delete", "priorityclass", "everyday-high")
}

// split splits a command at its spaces, but for those between single quotes.
func split(command string) []string {
	var words []string
	var word strings.Builder
	quoted := false
	for _, r := range command + " " {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return words
}
