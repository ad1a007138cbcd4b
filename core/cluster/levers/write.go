package levers

import "time"

// Write is a write that the served cluster's API server has answered, made from its audit event.
type Write struct {
	Seq         uint64    `json:"seq"`              // counts from 1, without gaps
	Time        time.Time `json:"time"`             // when the API server had answered
	User        string    `json:"user"`             // as authenticated: "admin", "system:kube-scheduler"
	Agent       string    `json:"agent,omitempty"`  // the User-Agent as sent
	Author      string    `json:"author"`           // a short name: "kubectl", "deployment-controller", "kubelet"
	Person      bool      `json:"person,omitempty"` // neither a component of the cluster wrote it, nor a lever or the background
	Verb        string    `json:"verb"`             // create, update, patch, delete or deletecollection
	Path        string    `json:"path"`
	Status      int       `json:"status"`   // of the answer
	Resource    string    `json:"resource"` // "pods", "deployments.apps"
	Subresource string    `json:"subresource,omitempty"`
	Namespace   string    `json:"namespace,omitempty"`
	Name        string    `json:"name,omitempty"`
	Version     string    `json:"version,omitempty"` // the object's resourceVersion after the write, if the answer had the object
	Words       string    `json:"words,omitempty"`   // what it did, after its author: "scaled default/web from 3 to 6"
}
