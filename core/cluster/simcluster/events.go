package simcluster

import (
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"
)

// maxEvents bounds the Events that are kept. A real API server drops them after an hour.
const maxEvents = 2000

// eventFields are the fields by which Events can be selected.
var eventFields = []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
	"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "type"}

// registerEvents serves Events, which the cluster's controllers then write.
func (c *Cluster) registerEvents() {
	c.events = c.register(kindInfo{version: "v1", kind: "Event", plural: "events", shortNames: []string{"ev"}, namespaced: true,
		fields: eventFields})
}

// noteEvent writes an Event of a controller about an object, if the cluster has Events, and drops the oldest one beyond maxEvents.
func (c *Cluster) noteEvent(about *slot, component, reason, format string, args ...any) {
	if c.events == nil || c.isSeeding || about == nil {
		return
	}
	o := about.cur
	namespace := o.namespace
	if namespace == "" {
		namespace = "default"
	}
	s := c.mustCreate(c.events, namespace, component, map[string]any{
		"metadata": map[string]any{"name": o.name + "." + strconv.FormatUint(c.rev+1, 16)},
		"involvedObject": map[string]any{"kind": about.res.kind, "apiVersion": about.res.apiVersion(), "namespace": o.namespace, "name": o.name, "uid": o.uid,
			"resourceVersion": strconv.FormatUint(o.rev, 10)},
		"reason": reason, "message": fmt.Sprintf(format, args...), "type": "Normal", "count": 1,
		"firstTimestamp": stamp(c.now), "lastTimestamp": stamp(c.now), "eventTime": nil,
		"source": map[string]any{"component": component}, "reportingComponent": component, "reportingInstance": "",
	})
	if s == nil {
		return // its namespace is being deleted
	}
	c.eventKeys = append(c.eventKeys, s.key)
	if len(c.eventKeys) > maxEvents {
		if oldest := c.events.byKey[c.eventKeys[0]]; oldest != nil {
			c.drop(oldest)
		}
		c.eventKeys = c.eventKeys[1:]
	}
}

// unquote returns the text of a JSON string.
func unquote(quoted string) string { return gjson.Parse(quoted).String() }
