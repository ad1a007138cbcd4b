package simcluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// column is a column of the Table that kubectl get requests.
type column struct {
	name, typ string
	wide      bool
	cell      func(o *object) any
}

func nameColumn() column {
	return column{name: "Name", typ: "string", cell: func(o *object) any { return o.name }}
}

// ageColumn is the age of an object. It has no cell function, because an age depends on the time.
func ageColumn() column { return column{name: "Age", typ: "string"} }

func creationTime(o *object) string { return o.get("metadata.creationTimestamp").String() }

func age(o *object, now time.Time) string {
	at, err := time.Parse(time.RFC3339, creationTime(o))
	if err != nil {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(at))
}

func text(name, path string) column {
	return column{name: name, typ: "string", cell: func(o *object) any { return o.get(path).String() }}
}

func number(name, path string) column {
	return column{name: name, typ: "integer", cell: func(o *object) any { return o.get(path).Int() }}
}

// wideText is a column of kubectl get -o wide.
func wideText(name string, cell func(o *object) string) column {
	return column{name: name, typ: "string", wide: true, cell: func(o *object) any { return cell(o) }}
}

// orNone returns what a path has, or else what kube-apiserver prints for nothing.
func orNone(path string) func(o *object) string {
	return func(o *object) string { return cmp.Or(o.get(path).String(), "<none>") }
}

func orUnknown(path string) func(o *object) string {
	return func(o *object) string { return cmp.Or(o.get(path).String(), "<unknown>") }
}

func stringsAt(o *object, path string) (all []string) {
	for _, v := range o.get(path).Array() {
		all = append(all, v.String())
	}
	return all
}

// joinValues returns the values of a path, with commas between them.
func joinValues(path string) func(o *object) string {
	return func(o *object) string { return strings.Join(stringsAt(o, path), ",") }
}

// workloadColumns are those of kubectl get -o wide of what makes pods.
func workloadColumns() []column {
	return []column{
		wideText("Containers", joinValues("spec.template.spec.containers.#.name")),
		wideText("Images", joinValues("spec.template.spec.containers.#.image")),
		wideText("Selector", func(o *object) string {
			selector := &metav1.LabelSelector{}
			if err := json.Unmarshal([]byte(o.get("spec.selector").Raw), selector); err != nil {
				return "<error>"
			}
			return metav1.FormatLabelSelector(selector)
		})}
}

var (
	defaultColumns = []column{nameColumn(), {name: "Created At", typ: "date", cell: func(o *object) any { return creationTime(o) }}}
	podColumns     = []column{nameColumn(),
		{name: "Ready", typ: "string", cell: func(o *object) any {
			ready, all := 0, len(o.get("spec.containers").Array())
			o.get("status.containerStatuses.#.ready").ForEach(func(_, v gjson.Result) bool {
				if v.Bool() {
					ready++
				}
				return true
			})
			return fmt.Sprintf("%d/%d", ready, all)
		}},
		{name: "Status", typ: "string", cell: podStatusText},
		number("Restarts", "status.containerStatuses.0.restartCount"), ageColumn(),
		wideText("IP", orNone("status.podIP")), wideText("Node", orNone("spec.nodeName")), wideText("Nominated Node", orNone("status.nominatedNodeName")),
		wideText("Readiness Gates", func(o *object) string {
			gates, ready := o.get("spec.readinessGates").Array(), 0
			for _, gate := range gates {
				if o.get(`status.conditions.#(type=="`+gate.Get("conditionType").String()+`").status`).String() == "True" {
					ready++
				}
			}
			if len(gates) == 0 {
				return "<none>"
			}
			return fmt.Sprintf("%d/%d", ready, len(gates))
		})}
	nodeColumns = []column{nameColumn(),
		{name: "Status", typ: "string", cell: func(o *object) any {
			s := "NotReady"
			switch o.get(`status.conditions.#(type=="Ready").status`).String() {
			case "True":
				s = "Ready"
			case "":
				s = "Unknown"
			}
			if o.get("spec.unschedulable").Bool() {
				s += ",SchedulingDisabled"
			}
			return s
		}},
		{name: "Roles", typ: "string", cell: func(o *object) any {
			var roles []string
			o.get("metadata.labels").ForEach(func(label, value gjson.Result) bool {
				role, ok := strings.CutPrefix(label.String(), "node-role.kubernetes.io/")
				if label.String() == "kubernetes.io/role" {
					role, ok = value.String(), true
				}
				if ok && role != "" && !slices.Contains(roles, role) {
					roles = append(roles, role)
				}
				return true
			})
			slices.Sort(roles)
			return cmp.Or(strings.Join(roles, ","), "<none>")
		}}, ageColumn(), text("Version", "status.nodeInfo.kubeletVersion"),
		wideText("Internal-IP", orNone(`status.addresses.#(type=="InternalIP").address`)),
		wideText("External-IP", orNone(`status.addresses.#(type=="ExternalIP").address`)),
		wideText("OS-Image", orUnknown("status.nodeInfo.osImage")), wideText("Kernel-Version", orUnknown("status.nodeInfo.kernelVersion")),
		wideText("Container-Runtime", orUnknown("status.nodeInfo.containerRuntimeVersion"))}
	namespaceColumns = []column{nameColumn(), text("Status", "status.phase"), ageColumn()}
	serviceColumns   = []column{nameColumn(), text("Type", "spec.type"),
		{name: "Cluster-IP", typ: "string", cell: func(o *object) any { return orNone("spec.clusterIP")(o) }},
		{name: "External-IP", typ: "string", cell: func(o *object) any {
			switch o.get("spec.type").String() {
			case "ExternalName":
				return o.get("spec.externalName").String()
			case "LoadBalancer":
				return cmp.Or(strings.Join(append(stringsAt(o, "status.loadBalancer.ingress.#.ip"), stringsAt(o, "spec.externalIPs")...), ","), "<pending>")
			}
			return cmp.Or(strings.Join(stringsAt(o, "spec.externalIPs"), ","), "<none>")
		}},
		{name: "Port(s)", typ: "string", cell: func(o *object) any {
			var ports []string
			for _, p := range o.get("spec.ports").Array() {
				port := p.Get("port").String()
				if node := p.Get("nodePort").Int(); node > 0 {
					port += ":" + strconv.FormatInt(node, 10)
				}
				ports = append(ports, port+"/"+p.Get("protocol").String())
			}
			return cmp.Or(strings.Join(ports, ","), "<none>")
		}}, ageColumn(), wideText("Selector", func(o *object) string {
			var labels []string
			o.get("spec.selector").ForEach(func(label, value gjson.Result) bool {
				labels = append(labels, label.String()+"="+value.String())
				return true
			})
			slices.Sort(labels)
			return cmp.Or(strings.Join(labels, ","), "<none>")
		})}
	configMapColumns = []column{nameColumn(),
		{name: "Data", typ: "integer", cell: func(o *object) any { return len(o.get("data").Map()) }}, ageColumn()}
	deploymentColumns = append([]column{nameColumn(),
		{name: "Ready", typ: "string", cell: func(o *object) any {
			return fmt.Sprintf("%d/%d", o.get("status.readyReplicas").Int(), o.get("spec.replicas").Int())
		}},
		number("Up-to-date", "status.updatedReplicas"), number("Available", "status.availableReplicas"), ageColumn()},
		workloadColumns()...)
	replicaSetColumns = append([]column{nameColumn(), number("Desired", "spec.replicas"), number("Current", "status.replicas"),
		number("Ready", "status.readyReplicas"), ageColumn()}, workloadColumns()...)
	leaseColumns = []column{nameColumn(), text("Holder", "spec.holderIdentity"), ageColumn()}
	eventColumns = []column{{name: "Last Seen", typ: "string"}, text("Type", "type"), text("Reason", "reason"),
		{name: "Object", typ: "string", cell: func(o *object) any {
			return strings.ToLower(o.get("involvedObject.kind").String()) + "/" + o.get("involvedObject.name").String()
		}}, text("Message", "message")}
	crdColumns = []column{nameColumn(), {name: "Created At", typ: "date", cell: func(o *object) any { return creationTime(o) }}}
)

func podStatusText(o *object) any {
	status := o.phase
	if r := o.get("status.containerStatuses.0.state.waiting.reason").String(); r != "" {
		status = r
	} else if r := o.get("status.containerStatuses.0.state.terminated.reason").String(); r != "" {
		status = r
	}
	if o.isDeleting {
		status = "Terminating"
	}
	return status
}

func (r *resource) appendColumns(b []byte) []byte {
	if r.custom && r.schema != nil {
		return append(b, mustJSON(r.schema.Columns())...)
	}
	type definition struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Format      string `json:"format"`
		Description string `json:"description"`
		Priority    int    `json:"priority"`
	}
	defs := make([]definition, len(r.columns))
	for i, c := range r.columns {
		defs[i] = definition{Name: c.name, Type: c.typ}
		if c.name == "Name" {
			defs[i].Format = "name"
		}
		if c.wide {
			defs[i].Priority = 1
		}
	}
	return append(b, mustJSON(defs)...)
}

func (r *resource) appendRow(b []byte, o *object) []byte {
	b = append(b, `{"cells":[`...)
	columns := r.columns
	if r.custom && r.schema != nil {
		text := mustJSON(r.schema.Cells(o.mustMap()))
		b = append(b, text[1:len(text)-1]...)
		columns = nil
	}
	for i, c := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		if c.cell == nil {
			b = append(b, mustJSON(age(o, r.now()))...)
			continue
		}
		switch v := c.cell(o).(type) {
		case string:
			cell, err := json.Marshal(v)
			if err != nil {
				cell = []byte(`""`) // strings always marshal
			}
			b = append(b, cell...)
		case int:
			b = strconv.AppendInt(b, int64(v), 10)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		}
	}
	b = append(b, `],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":`...)
	return append(append(b, metadataOf(o)...), "}}"...)
}
