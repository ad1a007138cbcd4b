package simcluster

import (
	"cmp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type groupResource struct{ group, resource string }

// kindInfo is what discovery reports about a resource, and what the server needs to serve it.
type kindInfo struct {
	group, version   string
	kind, listKind   string
	plural, singular string
	shortNames       []string
	categories       []string
	namespaced       bool
	status           bool        // has a status subresource
	scale            *scalePaths // nil without a scale subresource
	served           bool
	deprecation      string // what answers warn of
	reader           Reader // nil without schemas
	schema           Schema // nil if the cluster completes and validates objects itself
	custom           bool   // from a CRD
	generation       bool   // counts metadata.generation
	createOnUpdate   bool   // a PUT creates what is not there
	// conditionalUpdate: a PUT must have a resourceVersion. answersDeleted: the answer to a DELETE is the object.
	conditionalUpdate, answersDeleted bool

	crd     string
	columns []column
	fields  []string                                                            // by which its objects can be selected, besides their name and namespace
	answer  func(namespace string, object []byte) (any, *apierrors.StatusError) // of a Review

	head string // `{"kind":"Pod","apiVersion":"v1",`, to put before raw[1:]
}

func (k *kindInfo) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// storageKey is where kube-apiserver keeps an object in etcd.
func (k *kindInfo) storageKey(o *object) string {
	dir := k.plural
	switch {
	case k.custom:
		dir = k.group + "/" + k.plural
	case k.kind == "Service":
		dir = "services/specs"
	case k.kind == "Node":
		dir = "minions"
	}
	return "/registry/" + dir + "/" + o.key()
}

func (k *kindInfo) gr() qualifiedResource { return qualifiedResource{k.group, k.plural} }

// qualifiedResource is the name of a resource, formatted as in Kubernetes errors: "pods", "deployments.apps".
type qualifiedResource struct{ group, resource string }

func (q qualifiedResource) String() string {
	if q.group == "" {
		return q.resource
	}
	return q.resource + "." + q.group
}

// scalePaths are where a scale subresource finds its values: dotted, with a leading dot. An empty selector is that of spec.selector.matchLabels in a built-in
// kind, and none in a custom resource.
type scalePaths struct{ spec, status, selector string }

var replicasPaths = &scalePaths{spec: ".spec.replicas", status: ".status.replicas"}

// register serves a built-in resource.
func (c *Cluster) register(k kindInfo) *resource {
	k.served = true
	if c.schemas != nil {
		k.reader, k.schema = c.schemas.BuiltIn(schema.GroupVersionKind{Group: k.group, Version: k.version, Kind: k.kind})
	}
	s := c.newStorage()
	s.storageVersion = k.version
	return c.registerVersion(k, s)
}

func (c *Cluster) newStorage() *storage {
	return &storage{versions: map[string]*resource{}, byKey: map[string]*slot{}, floor: c.rev, maxRing: cmp.Or(c.historySize, defaultHistorySize)}
}

// registerVersion serves a version of a resource.
func (c *Cluster) registerVersion(k kindInfo, s *storage) *resource {
	if k.listKind == "" {
		k.listKind = k.kind + "List"
	}
	if k.singular == "" {
		k.singular = strings.ToLower(k.kind)
	}
	k.head = `{"kind":"` + k.kind + `","apiVersion":"` + k.apiVersion() + `",`
	r := &resource{kindInfo: k, storage: s, now: c.clock.Now}
	s.versions[k.version] = r
	if k.version == s.storageVersion {
		c.resources[groupResource{k.group, k.plural}] = r
	}
	c.order = append(c.order, r)
	slices.SortStableFunc(c.order, func(a, b *resource) int {
		order := cmp.Compare(a.group, b.group)
		if order == 0 && c.schemas != nil {
			order = c.schemas.CompareVersions(a.version, b.version)
		}
		return cmp.Or(order, cmp.Compare(a.plural, b.plural))
	})
	return r
}

// unregister stops serving the versions of a custom resource, and ends their watches.
func (c *Cluster) unregister(s *storage) {
	//maporder:free each version ends by itself
	for _, r := range s.versions {
		r.isRemoved = true
		delete(c.resources, groupResource{r.group, r.plural})
	}
	clear(s.versions)
	c.order = slices.DeleteFunc(c.order, func(r *resource) bool { return r.storage == s })
	s.wake()
}

// IsCustom reports whether a CustomResourceDefinition describes the resource.
func (c *Cluster) IsCustom(group, resource string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.resources[groupResource{group, resource}]
	return r != nil && r.custom
}

func (c *Cluster) registerBuiltins() {
	c.pods = c.register(kindInfo{version: "v1", kind: "Pod", plural: "pods", shortNames: []string{"po"},
		categories: []string{"all"}, namespaced: true, status: true, answersDeleted: true, columns: podColumns,
		fields: []string{"spec.hostNetwork", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.nominatedNodeName",
			"status.phase", "status.podIP", "status.podIPs"}})
	c.pods.maxRing = cmp.Or(c.historySize, podHistorySize)
	c.nodes = c.register(kindInfo{version: "v1", kind: "Node", plural: "nodes", shortNames: []string{"no"},
		status: true, columns: nodeColumns, fields: []string{"spec.unschedulable"}})
	c.namespaces = c.register(kindInfo{version: "v1", kind: "Namespace", plural: "namespaces", shortNames: []string{"ns"},
		status: true, columns: namespaceColumns, fields: []string{"status.phase"}})
	c.register(kindInfo{version: "v1", kind: "Service", plural: "services", shortNames: []string{"svc"},
		categories: []string{"all"}, namespaced: true, status: true, createOnUpdate: true, answersDeleted: true, columns: serviceColumns,
		fields: []string{"spec.clusterIP", "spec.type"}})
	c.register(kindInfo{version: "v1", kind: "ConfigMap", plural: "configmaps", shortNames: []string{"cm"},
		namespaced: true, columns: configMapColumns})
	c.deployments = c.register(kindInfo{group: "apps", version: "v1", kind: "Deployment", plural: "deployments",
		shortNames: []string{"deploy"}, categories: []string{"all"}, namespaced: true, status: true, scale: replicasPaths,
		generation: true, columns: deploymentColumns})
	c.replicaSets = c.register(kindInfo{group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets",
		shortNames: []string{"rs"}, categories: []string{"all"}, namespaced: true, status: true, scale: replicasPaths,
		generation: true, columns: replicaSetColumns, fields: []string{"status.replicas"}})
	c.deployments.uids, c.replicaSets.uids = map[string]*slot{}, map[string]*slot{}
	c.leases = c.register(kindInfo{group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases",
		namespaced: true, createOnUpdate: true, conditionalUpdate: true, columns: leaseColumns})
	c.crds = c.register(kindInfo{group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition",
		plural: "customresourcedefinitions", singular: "customresourcedefinition", shortNames: []string{"crd", "crds"},
		categories: []string{"api-extensions"}, status: true, generation: true, columns: crdColumns})
}

func anyList(v any) []any {
	l, _ := v.([]any)
	return l
}

func stringList(v any) []string {
	var out []string
	for _, x := range anyList(v) {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
