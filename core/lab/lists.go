package lab

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/client/restwatch"
	"informerscope/core/wire/relayclient"
)

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
	l.scopes.Note(src.context, found)
	allowed, wrong := relayclient.AskRules(ctx, src.transport)
	if wrong != nil {
		return found, wrong
	}
	for i := range found {
		if r := &found[i]; r.Unwatchable == "" {
			r.Unwatchable = allowed.Refusal(r.Group, r.Resource)
		}
	}
	return found, err
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
		case apierrors.HasStatusCause(err, relayclient.RuleCause):
			out.Items, out.Reason = []string{}, "not-served"
			out.Error = "The server was started with --resources that leave out namespaces, so they cannot be listed here. Type the name of one."
			return out, nil
		case apierrors.IsForbidden(err):
			out.Items, out.Reason = []string{}, "forbidden"
			out.Error = "These credentials may not list namespaces. Type the name of one."
			return out, nil
		default:
			out.Items, out.Reason = []string{}, "unreachable"
			out.Error = fmt.Sprintf("The namespaces cannot be listed now: %s. Type the name of one.", strings.TrimSuffix(err.Error(), "."))
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
