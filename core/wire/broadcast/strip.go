package broadcast

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// identity holds the members that remain of an object whose body is not broadcast.
type identity struct {
	APIVersion string   `json:"apiVersion,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Metadata   metadata `json:"metadata"`
	Status     *status  `json:"status,omitempty"`
}

type metadata struct {
	Name              string `json:"name,omitempty"`
	Namespace         string `json:"namespace,omitempty"`
	UID               string `json:"uid,omitempty"`
	ResourceVersion   string `json:"resourceVersion,omitempty"`
	Generation        int64  `json:"generation,omitempty"`
	CreationTimestamp string `json:"creationTimestamp,omitempty"`
	DeletionTimestamp string `json:"deletionTimestamp,omitempty"`
}

type status struct {
	Phase string `json:"phase"`
}

var identityPaths = []string{"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
	"metadata.generation", "metadata.creationTimestamp", "metadata.deletionTimestamp", "status.phase"}

// longestPhase bounds a phase in bytes; a longer text is not a phase.
const longestPhase = 64

// Strip returns an object's JSON without its body. The names, versions, times and the phase, which the page paints, remain if they are texts; numbers,
// lists and objects in their places are left out.
func Strip(raw []byte) ([]byte, error) {
	found := gjson.GetManyBytes(raw, identityPaths...)
	text := func(i int) string {
		if found[i].Type != gjson.String {
			return ""
		}
		return found[i].Str
	}
	o := identity{APIVersion: text(0), Kind: text(1), Metadata: metadata{Name: text(2), Namespace: text(3), UID: text(4),
		ResourceVersion: text(5), CreationTimestamp: text(7), DeletionTimestamp: text(8)}}
	if found[6].Type == gjson.Number {
		o.Metadata.Generation = found[6].Int()
	}
	if phase := text(9); phase != "" && len(phase) <= longestPhase {
		o.Status = &status{phase}
	}
	return json.Marshal(&o)
}

// coreKinds are the kinds of Kubernetes' own group that a segment may carry whole: all but Secret, and no lists of objects.
var coreKinds = []string{"ComponentStatus", "ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "Node", "PersistentVolume",
	"PersistentVolumeClaim", "Pod", "PodTemplate", "ReplicationController", "ResourceQuota", "Service", "ServiceAccount"}

// isPublic reports whether a segment may carry an object whole. The object must name its kind: in the core group one of coreKinds, in another group any kind
// but Secret. It must not be of meta.k8s.io (PartialObjectMetadata, Table), which may have a Secret's data, and must have no items. raw was read strictly.
func isPublic(raw []byte) bool {
	found := gjson.GetManyBytes(raw, "apiVersion", "kind", "items")
	version, kind := found[0], found[1]
	if version.Type != gjson.String || kind.Type != gjson.String || found[2].Exists() {
		return false
	}
	group, _, named := strings.Cut(version.Str, "/")
	if !named {
		return version.Str == "v1" && slices.Contains(coreKinds, kind.Str)
	}
	return group != "" && !strings.EqualFold(group, "meta.k8s.io") && kind.Str != "" && !strings.EqualFold(kind.Str, "Secret")
}
