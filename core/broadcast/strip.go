package broadcast

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// identity is what stays of an object whose body is not broadcast.
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

// longestPhase is the length beyond which a phase is no word.
const longestPhase = 64

// Strip is an object's JSON without its body: its names, versions and times, and its phase, which the page paints. Texts in
// these places are all that it takes; numbers, lists and objects in place of a text are left out.
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
