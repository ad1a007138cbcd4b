package simcluster

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
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

func wideColumn(c column) column {
	c.wide = true
	return c
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
		wideColumn(text("IP", "status.podIP")), wideColumn(text("Node", "spec.nodeName"))}
	nodeColumns = []column{nameColumn(),
		{name: "Status", typ: "string", cell: func(o *object) any {
			s := "NotReady"
			if o.get(`status.conditions.#(type=="Ready").status`).String() == "True" {
				s = "Ready"
			}
			if o.get("spec.unschedulable").Bool() {
				s += ",SchedulingDisabled"
			}
			return s
		}},
		{name: "Roles", typ: "string", cell: func(*object) any { return "<none>" }}, ageColumn(), text("Version", "status.nodeInfo.kubeletVersion")}
	namespaceColumns = []column{nameColumn(), text("Status", "status.phase"), ageColumn()}
	serviceColumns   = []column{nameColumn(), text("Type", "spec.type"), text("Cluster-IP", "spec.clusterIP"),
		{name: "External-IP", typ: "string", cell: func(*object) any { return "<none>" }},
		{name: "Port(s)", typ: "string", cell: func(o *object) any {
			var ports []string
			for _, p := range o.get("spec.ports").Array() {
				ports = append(ports, p.Get("port").String()+"/"+p.Get("protocol").String())
			}
			return strings.Join(ports, ",")
		}}, ageColumn()}
	configMapColumns = []column{nameColumn(),
		{name: "Data", typ: "integer", cell: func(o *object) any { return len(o.get("data").Map()) }}, ageColumn()}
	deploymentColumns = []column{nameColumn(),
		{name: "Ready", typ: "string", cell: func(o *object) any {
			return fmt.Sprintf("%d/%d", o.get("status.readyReplicas").Int(), o.get("spec.replicas").Int())
		}},
		number("Up-to-date", "status.updatedReplicas"), number("Available", "status.availableReplicas"), ageColumn()}
	replicaSetColumns = []column{nameColumn(), number("Desired", "spec.replicas"), number("Current", "status.replicas"),
		number("Ready", "status.readyReplicas"), ageColumn()}
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
