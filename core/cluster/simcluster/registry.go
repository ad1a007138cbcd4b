package simcluster

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
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
	schema           Schema // nil in a page
	custom           bool   // from a CRD
	generation       bool   // counts metadata.generation
	createOnUpdate   bool   // a PUT creates what is not there
	// conditionalUpdate: a PUT must have a resourceVersion. answersDeleted: the answer to a DELETE is the object.
	conditionalUpdate, answersDeleted bool

	crd    string
	fields []string // by which its objects can be selected, besides their name and namespace

	head string // `{"kind":"Pod","apiVersion":"v1",`, to put before raw[1:]
}

func (k kindInfo) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// hasStrategy reports whether the schema of the kind completes and validates its objects; else the cluster does.
func (k *kindInfo) hasStrategy() bool {
	return k.schema != nil && (k.custom || k.kind == "CustomResourceDefinition")
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
	if c.types != nil {
		k.schema = c.types.BuiltIn(schema.GroupVersionKind{Group: k.group, Version: k.version, Kind: k.kind})
	}
	s := c.newStorage()
	s.storageVersion = k.apiVersion()
	return c.registerVersion(k, s)
}

func (c *Cluster) newStorage() *storage {
	return &storage{versions: map[string]*resource{}, byKey: map[string]*slot{}, watchers: map[*watcher]bool{}, floor: c.rev,
		maxRing: cmp.Or(c.historySize, defaultHistorySize)}
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
	s.versions[k.apiVersion()] = r
	if k.apiVersion() == s.storageVersion || !k.custom {
		c.resources[groupResource{k.group, k.plural}] = r
	}
	c.order = append(c.order, r)
	slices.SortStableFunc(c.order, func(a, b *resource) int {
		return cmp.Or(cmp.Compare(a.group, b.group), version.CompareKubeAwareVersionStrings(b.version, a.version), cmp.Compare(a.plural, b.plural))
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

// registerKinds serves built-in kinds whose objects are only stored. Events of all groups are the same objects.
func (c *Cluster) registerKinds(kinds []Kind) {
	for _, k := range kinds {
		info := kindInfo{group: k.Group, version: k.Version, kind: k.Kind, plural: k.Resource, namespaced: k.Namespaced, status: k.Status,
			generation: k.Generation}
		if k.Scale {
			info.scale = replicasPaths
		}
		if k.Kind == "Event" && c.events != nil {
			info.served, info.schema = true, c.types.BuiltIn(schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
			info.fields = []string{"reason", "type"}
			c.registerVersion(info, c.events.storage)
			continue
		}
		c.register(info)
	}
}

func (c *Cluster) registerBuiltins() {
	c.pods = c.register(kindInfo{version: "v1", kind: "Pod", plural: "pods", shortNames: []string{"po"},
		categories: []string{"all"}, namespaced: true, status: true, answersDeleted: true,
		fields: []string{"spec.hostNetwork", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.nominatedNodeName",
			"status.phase", "status.podIP", "status.podIPs"}})
	c.pods.maxRing = cmp.Or(c.historySize, podHistorySize)
	c.nodes = c.register(kindInfo{version: "v1", kind: "Node", plural: "nodes", shortNames: []string{"no"},
		status: true, fields: []string{"spec.unschedulable"}})
	c.namespaces = c.register(kindInfo{version: "v1", kind: "Namespace", plural: "namespaces", shortNames: []string{"ns"},
		status: true, fields: []string{"status.phase"}})
	c.register(kindInfo{version: "v1", kind: "Service", plural: "services", shortNames: []string{"svc"},
		categories: []string{"all"}, namespaced: true, status: true, createOnUpdate: true, answersDeleted: true,
		fields: []string{"spec.clusterIP", "spec.type"}})
	c.register(kindInfo{version: "v1", kind: "ConfigMap", plural: "configmaps", shortNames: []string{"cm"},
		namespaced: true})
	c.deployments = c.register(kindInfo{group: "apps", version: "v1", kind: "Deployment", plural: "deployments",
		shortNames: []string{"deploy"}, categories: []string{"all"}, namespaced: true, status: true, scale: replicasPaths,
		generation: true})
	c.replicaSets = c.register(kindInfo{group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets",
		shortNames: []string{"rs"}, categories: []string{"all"}, namespaced: true, status: true, scale: replicasPaths,
		generation: true, fields: []string{"status.replicas"}})
	c.deployments.uids, c.replicaSets.uids = map[string]*slot{}, map[string]*slot{}
	c.leases = c.register(kindInfo{group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases",
		namespaced: true, createOnUpdate: true, conditionalUpdate: true})
	c.crds = c.register(kindInfo{group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition",
		plural: "customresourcedefinitions", singular: "customresourcedefinition", shortNames: []string{"crd", "crds"},
		categories: []string{"api-extensions"}, status: true, generation: true})
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
