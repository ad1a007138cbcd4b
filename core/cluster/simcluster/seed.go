package simcluster

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These are annotations in which a controller may keep what it has observed of an object. Objects of the initial state have them, as if such a
// controller had seen them: so it writes nothing when it first lists a large cluster.
const (
	// ObservedPhase is the status.phase of a pod.
	ObservedPhase = "informerscope.dev/observed-phase"
	// ObservedGeneration is the metadata.generation of an object that has one.
	ObservedGeneration = "informerscope.dev/observed-generation"
	// ObservedTime is when a controller last looked, if it writes that down. No object of the initial state has it.
	ObservedTime = "informerscope.dev/observed-at"
	// Child is the name of the pod that a controller made for a pod, and ChildOf that one's label, with the UID of the first.
	Child   = "informerscope.dev/child"
	ChildOf = "informerscope.dev/child-of"

	// Finalizer is what AddFinalizers puts on pods.
	Finalizer = "informerscope.dev/cleanup"

	observer = "informerscope" // the field manager
)

type app struct{ namespace, name, tier, image string }

var apps = []app{
	{"shop", "cart", "backend", "cart:2.14.1"},
	{"shop", "frontend", "frontend", "storefront:5.3.0"},
	{"search", "query", "backend", "search-query:1.9.4"},
	{"payments", "gateway", "backend", "payment-gateway:3.2.2"},
	{"web", "edge", "frontend", "edge-proxy:1.31.0"},
	{"data", "postgres-pooler", "data", "pgbouncer:1.23.1"},
	{"shop", "checkout", "backend", "checkout:4.0.7"},
	{"kube-system", "coredns", "system", "coredns:1.12.1"},
	{"monitoring", "prometheus", "system", "prometheus:3.4.0"},
	{"search", "indexer", "worker", "search-indexer:1.9.4"},
	{"payments", "ledger", "data", "ledger:2.7.0"},
	{"ml", "inference", "backend", "inference:0.12.3"},
	{"ingress", "controller", "system", "ingress-controller:1.13.0"},
	{"logging", "collector", "system", "log-collector:4.0.3"},
	{"batch", "runner", "worker", "batch-runner:1.4.0"},
	{"shop", "catalog", "backend", "catalog:3.8.2"},
	{"web", "sessions", "data", "sessions:1.2.5"},
	{"payments", "fraud", "worker", "fraud-scoring:0.9.8"},
	{"data", "cache", "data", "cache:8.0.2"},
	{"monitoring", "alertmanager", "system", "alertmanager:0.28.1"},
	{"ml", "features", "data", "feature-store:0.7.1"},
	{"logging", "shipper", "worker", "log-shipper:4.0.3"},
	{"default", "hello", "frontend", "hello:1.0.0"},
	{"search", "suggest", "backend", "search-suggest:1.9.4"},
	{"web", "assets", "frontend", "assets:7.1.0"},
	{"monitoring", "dashboards", "frontend", "dashboards:11.6.0"},
	{"kube-system", "metrics-server", "system", "metrics-server:0.7.2"},
	{"shop", "recommendations", "backend", "recommendations:1.1.9"},
}

var namespaceNames = []string{"batch", "data", "default", "ingress", "kube-node-lease", "kube-public", "kube-system", "logging", "ml",
	"monitoring", "payments", "search", "shop", "web"}

// seed makes the initial state. Like kube-apiserver, a cluster with Types has no other namespaces than those that its pods need.
func (c *Cluster) seed(objects, nodes int) {
	start := c.now
	c.now = start.Add(-14 * 24 * time.Hour)
	for _, name := range namespaceNames {
		if c.types != nil && objects == 0 && name != metav1.NamespaceDefault && !strings.HasPrefix(name, "kube-") {
			continue
		}
		c.mustCreate(c.namespaces, "", "kube-apiserver", map[string]any{"metadata": map[string]any{"name": name}})
		c.mustCreate(c.resources[groupResource{"", "configmaps"}], name, "kube-controller-manager", rootCA())
	}
	for i := range cmp.Or(min(nodes, maxNodes), Nodes(objects)) {
		c.seedNode(i, start)
	}
	c.refreshNodes()
	for i, left := 0, objects; left > 0; i++ {
		c.breathe() // with the lock held; New has not returned the cluster yet
		a := appAt(i)
		n := Replicas(c.rng, left, objects)
		left -= n
		c.now = start.Add(-c.randomBetween(time.Hour, 13*24*time.Hour)).Truncate(time.Second)
		c.seedDeployment(a, n, start)
		if c.progress != nil {
			c.progress(objects-left, objects)
		}
	}
	c.now = start
}

// appAt returns the i-th application: the names repeat with a number behind them.
func appAt(i int) app {
	a := apps[i%len(apps)]
	if round := i / len(apps); round > 0 {
		a.name = fmt.Sprintf("%s-%d", a.name, round+1)
	}
	return a
}

// DeploymentAt returns the i-th deployment of a simulated cluster, as JSON has it, and its namespace. The caller owns it.
func DeploymentAt(i, replicas int) (namespace string, deployment map[string]any) {
	a := appAt(i)
	return a.namespace, deploymentObject(a, replicas)
}

// NewDeployment returns a deployment of a simulated application, as JSON has it. The caller owns it.
func NewDeployment(namespace, name string, replicas int) map[string]any {
	return deploymentObject(app{namespace, name, "backend", name + ":1.0.0"}, replicas)
}

// Replicas returns of how many pods the next deployment is, if so many objects are left of so many.
func Replicas(rng *rand.Rand, left, objects int) int {
	mean := max(2, min(25, objects/40))
	return min(left, 1+rng.IntN(2*mean-1))
}

// Nodes is how many nodes a cluster of so many pods has.
func Nodes(objects int) int { return max(3, min(maxNodes, (objects+59)/60)) }

// mustCreate creates one of this package's own objects. It returns nil on an error, which would be a bug here that every test shows.
func (c *Cluster) mustCreate(r *resource, namespace, manager string, m map[string]any) *slot {
	o, e := c.create(r, namespace, m, author{manager: manager}, false)
	if e != nil {
		return nil
	}
	return r.byKey[o.key()]
}

func rootCA() map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": "kube-root-ca.crt", "annotations": map[string]any{
			"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver."}},
		"data": map[string]any{"ca.crt": "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVk\n-----END CERTIFICATE-----\n"},
	}
}

// NodeName returns node-a1, node-b1, node-c1, node-a2, ...: three zones.
func NodeName(i int) string { return fmt.Sprintf("node-%c%d", 'a'+i%3, i/3+1) }

func (c *Cluster) seedNode(i int, now time.Time) {
	name := NodeName(i)
	ip := fmt.Sprintf("172.18.%d.%d", i/250, i%250+2)
	cond := func(typ, status, reason, message string) map[string]any {
		return map[string]any{"type": typ, "status": status, "reason": reason, "message": message,
			"lastHeartbeatTime": stamp(now), "lastTransitionTime": stamp(c.now)}
	}
	size := map[string]any{"cpu": "16", "memory": "65842536Ki", "pods": "250", "ephemeral-storage": "263174212Ki"}
	s := c.mustCreate(c.nodes, "", "kubelet", map[string]any{
		"metadata": map[string]any{"name": name, "labels": map[string]any{
			"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			"topology.kubernetes.io/zone": fmt.Sprintf("zone-%c", 'a'+i%3), "node.kubernetes.io/instance-type": "standard-16"}},
		"spec": map[string]any{"podCIDR": fmt.Sprintf("10.244.%d.0/24", i%256), "providerID": "simulated:///" + name},
		"status": map[string]any{
			"capacity": size, "allocatable": size,
			"addresses": []any{map[string]any{"type": "InternalIP", "address": ip}, map[string]any{"type": "Hostname", "address": name}},
			"conditions": []any{
				cond("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
				cond("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
				cond("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
				cond("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
			},
			"nodeInfo": map[string]any{"kubeletVersion": "v" + kubeVersion, "osImage": "Simulated Linux", "kernelVersion": "6.12.0",
				"containerRuntimeVersion": "containerd://2.1.0", "operatingSystem": "linux", "architecture": "amd64",
				"machineID": "", "systemUUID": "", "bootID": "", "kubeProxyVersion": ""},
			"daemonEndpoints": map[string]any{"kubeletEndpoint": map[string]any{"Port": 10250}},
		}})
	if s == nil {
		return
	}
	c.mustCreate(c.leases, "kube-node-lease", "kubelet", map[string]any{
		"metadata": map[string]any{"name": name, "ownerReferences": []any{map[string]any{
			"apiVersion": "v1", "kind": "Node", "name": name, "uid": s.cur.uid}}},
		"spec": map[string]any{"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": microStamp(now)}})
}

func microStamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// deploymentObject returns a deployment whose pods look like a real application's.
func deploymentObject(a app, replicas int) map[string]any {
	set := func() map[string]any { return map[string]any{"app": a.name, "tier": a.tier} }
	probe := func(path string, period int) map[string]any {
		return map[string]any{"httpGet": map[string]any{"path": path, "port": 8080, "scheme": "HTTP"},
			"periodSeconds": period, "timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 3}
	}
	upper := strings.ToUpper(strings.ReplaceAll(a.name, "-", "_"))
	container := map[string]any{
		"name": a.name, "image": "registry.example.com/" + a.namespace + "/" + a.image,
		"ports": []any{map[string]any{"name": "http", "containerPort": 8080, "protocol": "TCP"}},
		"env": []any{
			map[string]any{"name": "POD_NAME", "valueFrom": map[string]any{"fieldRef": map[string]any{"apiVersion": "v1", "fieldPath": "metadata.name"}}},
			map[string]any{"name": upper + "_LOG_LEVEL", "value": "info"},
			map[string]any{"name": "OTEL_SERVICE_NAME", "value": a.namespace + "." + a.name},
		},
		"resources": map[string]any{
			"requests": map[string]any{"cpu": "100m", "memory": "128Mi"}, "limits": map[string]any{"memory": "512Mi"}},
		"livenessProbe": probe("/healthz", 10), "readinessProbe": probe("/ready", 5),
		"volumeMounts": []any{
			map[string]any{"name": "config", "mountPath": "/etc/" + a.name, "readOnly": true},
			map[string]any{"name": "tmp", "mountPath": "/tmp"},
		},
		"securityContext": map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true},
	}
	return map[string]any{
		"metadata": map[string]any{"name": a.name, "labels": set(), "annotations": map[string]any{"deployment.kubernetes.io/revision": "1"}},
		"spec": map[string]any{
			"replicas": replicas,
			"selector": map[string]any{"matchLabels": map[string]any{"app": a.name}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": set(), "annotations": map[string]any{"prometheus.io/scrape": "true", "prometheus.io/port": "8080"}},
				"spec": map[string]any{
					"containers": []any{container},
					"volumes": []any{
						map[string]any{"name": "config", "configMap": map[string]any{"name": a.name + "-config", "defaultMode": 420, "optional": true}},
						map[string]any{"name": "tmp", "emptyDir": map[string]any{}},
					},
					"serviceAccountName": "default",
					"tolerations": []any{
						map[string]any{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
						map[string]any{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
					},
				},
			},
		},
	}
}

// seedDeployment creates a deployment that has been running for long, with its replica set, its service and its running pods.
func (c *Cluster) seedDeployment(a app, replicas int, now time.Time) {
	m := deploymentObject(a, replicas)
	d := c.mustCreate(c.deployments, a.namespace, "kubectl", m)
	if d == nil {
		return
	}
	d.plan = readPlan(d.cur.name, m)
	d.plan.spec = d.cur.spec()
	rs := c.createReplicaSet(d, m, replicas, 1)
	if rs == nil {
		return
	}
	if a.tier != "worker" {
		c.mustCreate(c.resources[groupResource{"", "services"}], a.namespace, "kubectl", map[string]any{
			"metadata": map[string]any{"name": a.name, "labels": map[string]any{"app": a.name}},
			"spec": map[string]any{"selector": map[string]any{"app": a.name},
				"ports": []any{map[string]any{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}}}})
	}
	t := c.templateOf(rs)
	var text []byte // of the pod before
	for i := 0; i < replicas; i++ {
		node := c.pickNode()
		c.ipSeq++
		born := c.now.Unix()
		p := &podSim{containers: t.containers, qos: "Burstable", stage: stageRunning, ready: true, ip: c.ipSeq,
			createdAt: born, scheduledAt: born, startedAt: born + 2, changedAt: born + 3}
		var name string
		if node != nil {
			name, p.host = node.cur.name, node.nodeFacts().ip
		}
		p.crashes = c.rng.IntN(50) == 0
		var o *object
		text, o = c.appendPod(text[:0], a.namespace, c.freeName(c.pods, a.namespace, t.generateName), t, p, name, c.rev+1)
		o.raw = bytes.Clone(text)
		c.put(c.pods, o).pod = p
	}
	c.updateReplicaSetStatus(rs)
	c.updateDeploymentStatus(d, rs)
}

func (c *Cluster) freeName(r *resource, namespace, prefix string) string {
	for {
		name := prefix + c.suffix(5)
		if r.byKey[joinKey(namespace, name)] == nil {
			return name
		}
	}
}
