// Package audit logs what viewers read: a line of JSON for each request of a viewer when it ends, and one when a watch begins. A line names the
// viewer, the context and the resource; it has no token and nothing of a body.
package audit
