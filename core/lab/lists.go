package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/restwatch"
)

// rules are the relay's rules for what it serves, as it reports them.
type rules struct {
	All      bool     `json:"all"`
	Groups   []string `json:"groups"`
	Names    []string `json:"names"`
	Carriers []string `json:"carriers"`
	// Resources that hold credentials: whole groups, and words in their names.
	CarrierGroups []string `json:"carrierGroups"`
	CarrierWords  []string `json:"carrierWords"`
	Secrets       bool     `json:"secrets"`
}

// refusal returns why the relay does not serve a resource; "" if it does. It mirrors server/internal/guard.Rules.
func (r rules) refusal(group, resource string) string {
	name := resource
	if group != "" {
		name += "." + group
	}
	switch {
	case resource == "secrets":
		if !r.Secrets {
			return "The server does not serve Secrets; started with --allow-secrets-metadata it serves their metadata."
		}
	case slices.Contains(r.Names, name):
	case slices.Contains(r.Carriers, name), slices.Contains(r.CarrierGroups, group),
		slices.ContainsFunc(r.CarrierWords, func(word string) bool { return strings.Contains(resource, word) }):
		return "The server does not serve what holds credentials, unless --resources names it."
	case !r.All && !slices.Contains(r.Groups, group):
		return "It is not in the server's list of resources (--resources)."
	}
	return ""
}

// Resources returns the resources of the current source, including those that cannot be watched, with the reason. If some could not be found, it returns the
// others together with the error.
func (l *Lab) Resources(ctx context.Context) ([]restwatch.Resource, error) {
	src, err := l.current()
	if err != nil {
		return nil, err
	}
	found, err := src.client().Survey(ctx)
	if src.cluster != nil {
		return found, err
	}
	l.mu.Lock()
	for _, r := range found {
		if r.Resource != "" {
			l.scopes[scopeKey{src.context, r.GVR().GroupResource()}] = r.Namespaced
		}
	}
	l.mu.Unlock()
	var allowed rules
	if err := ofRelayItself(ctx, src.transport, "rules", &allowed); err != nil {
		return found, err
	}
	for i := range found {
		if r := &found[i]; r.Unwatchable == "" {
			r.Unwatchable = allowed.refusal(r.Group, r.Resource)
		}
	}
	return found, err
}

// scopeKey identifies a resource of a context.
type scopeKey struct {
	context  string
	resource schema.GroupResource
}

// Namespaces is the list of namespaces, or why there is none.
type Namespaces struct {
	Items []string `json:"items"` // sorted by name; never nil
	Error string   `json:"error"` // why they are not known, in words for the user
	// With an Error, Reason is forbidden, not-served (by the server's own flags) or unreachable.
	Reason string `json:"reason"`
}

// Namespaces returns the namespaces of the current source. Resources may be watchable even if namespaces cannot be listed.
func (l *Lab) Namespaces(ctx context.Context) (Namespaces, error) {
	out := Namespaces{Items: []string{}}
	src, err := l.current()
	if err != nil {
		return out, err
	}
	c := src.client()
	opts := metav1.ListOptions{Limit: 500}
	for {
		list, err := c.List(ctx, namespacesGVR, "", opts)
		switch {
		case err == nil:
		case apierrors.HasStatusCause(err, ruleCause):
			out.Items, out.Reason = []string{}, "not-served"
			out.Error = "The server was started with --resources that leave out namespaces, so they cannot be listed here. Type the name of one."
			return out, nil
		case apierrors.IsForbidden(err):
			out.Items, out.Reason = []string{}, "forbidden"
			out.Error = "These credentials may not list namespaces. Type the name of one."
			return out, nil
		default:
			out.Items, out.Reason = []string{}, "unreachable"
			out.Error = fmt.Sprintf("The namespaces cannot be listed now: %s Type the name of one.", sentence(err.Error()))
			return out, nil
		}
		for _, o := range list.Items {
			out.Items = append(out.Items, o.GetName())
		}
		if opts.Continue = list.Continue; opts.Continue == "" {
			return out, nil
		}
	}
}

var namespacesGVR = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
