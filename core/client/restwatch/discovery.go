package restwatch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Resource is a resource of the API. One that can be listed and watched can be the subject of an informer.
type Resource struct {
	Group      string   `json:"group"`
	Version    string   `json:"version"`
	Resource   string   `json:"resource"` // plural, as in URLs
	Kind       string   `json:"kind"`
	Singular   string   `json:"singular,omitempty"`
	Namespaced bool     `json:"namespaced"`
	Verbs      []string `json:"verbs"`
	ShortNames []string `json:"shortNames,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// Preferred is true if this is the server's most preferred version of the resource among those that can be watched.
	Preferred bool `json:"preferred"`
	// Unwatchable explains, for the user, why the resource cannot be listed and watched; it is empty if it can. An entry without a Resource stands for
	// a whole version of a group that could not be discovered.
	Unwatchable string `json:"unwatchable,omitempty"`
}

// GVR returns the resource with its group and version, for List and Watch.
func (r Resource) GVR() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource}
}

const acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// Discover returns the resources that can be listed and watched, without subresources, in the server's order: the core group first. It uses aggregated
// discovery v2 if the server has it (Kubernetes 1.30 and later), and otherwise one request per group version.
//
// A group that cannot be discovered, for instance because the service of an aggregated API is down, does not hide the others. Discover returns the
// resources it found, and an error that joins all failures.
func (c *Client) Discover(ctx context.Context) ([]Resource, error) {
	all, err := c.Survey(ctx)
	return slices.DeleteFunc(all, func(r Resource) bool { return r.Unwatchable != "" }), err
}

// Survey is Discover plus what cannot be watched, with the reason. Two kinds cannot be watched: resources without the verbs list and watch, and the
// versions of groups that could not be discovered. The latter are entries without a Resource.
func (c *Client) Survey(ctx context.Context) ([]Resource, error) {
	var all discovery
	for _, root := range []string{"api", "apis"} {
		if err := c.discoverRoot(ctx, root, &all); err != nil {
			all.errs = append(all.errs, err)
		}
		if err := ctx.Err(); err != nil {
			break
		}
	}
	return all.resources, errors.Join(all.errs...)
}

// discovery collects resources. Group versions must be added in the server's order of preference.
type discovery struct {
	resources []Resource
	preferred map[schema.GroupResource]bool
	errs      []error
}

func (d *discovery) add(r Resource) {
	var missing []string
	for _, verb := range []string{"list", "watch"} {
		if !slices.Contains(r.Verbs, verb) {
			missing = append(missing, verb)
		}
	}
	if len(missing) > 0 {
		r.Unwatchable = fmt.Sprintf("The API offers no %s for it, only %s.", strings.Join(missing, " and no "), strings.Join(r.Verbs, ", "))
		if len(r.Verbs) == 0 {
			r.Unwatchable = "The API offers no verbs for it."
		}
		d.resources = append(d.resources, r)
		return
	}
	gr := schema.GroupResource{Group: r.Group, Resource: r.Resource}
	if !d.preferred[gr] {
		if d.preferred == nil {
			d.preferred = map[schema.GroupResource]bool{}
		}
		d.preferred[gr] = true
		r.Preferred = true
	}
	d.resources = append(d.resources, r)
}

// addUnavailable records a version of a group that cannot be discovered.
func (d *discovery) addUnavailable(gv schema.GroupVersion, err error) {
	d.errs = append(d.errs, err)
	why := fmt.Sprintf("The service behind this API (APIService %s.%s) does not answer, so that nothing of it can be listed or watched.", gv.Version, gv.Group)
	if gv.Group == "" {
		why = fmt.Sprintf("The version %s of the core group cannot be discovered: %v.", gv.Version, err)
	} else if !isUnavailable(err) {
		why = fmt.Sprintf("The group %s cannot be discovered: %v.", gv, err)
	}
	d.resources = append(d.resources, Resource{Group: gv.Group, Version: gv.Version, Unwatchable: why})
}

// errStale marks a group version whose service did not answer the API server.
var errStale = errors.New("the service behind this API does not answer")

func isUnavailable(err error) bool {
	return errors.Is(err, errStale) || apierrors.IsServiceUnavailable(err)
}

// These are the discovery documents, as far as they are used. The types of apidiscovery.k8s.io are repeated here because k8s.io/api would add megabytes
// to the browser's program.
type (
	discoveryRoot struct {
		Kind     string            `json:"kind"`
		Items    []discoveryGroup  `json:"items"`    // APIGroupDiscoveryList
		Versions []string          `json:"versions"` // APIVersions
		Groups   []metav1.APIGroup `json:"groups"`   // APIGroupList
	}
	discoveryGroup struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Versions []struct {
			Version   string              `json:"version"`
			Freshness string              `json:"freshness"`
			Resources []discoveryResource `json:"resources"`
		} `json:"versions"`
	}
	discoveryResource struct {
		Resource     string                   `json:"resource"`
		ResponseKind *metav1.GroupVersionKind `json:"responseKind"`
		Scope        string                   `json:"scope"`
		Singular     string                   `json:"singularResource"`
		Verbs        []string                 `json:"verbs"`
		ShortNames   []string                 `json:"shortNames"`
		Categories   []string                 `json:"categories"`
	}
)

func (c *Client) getJSON(ctx context.Context, accept string, into any, segments ...string) error {
	u, err := c.join(segments...)
	if err != nil {
		return err
	}
	r := &request{method: http.MethodGet, url: u, accept: accept}
	body, header, err := c.fetch(ctx, r)
	if err != nil {
		return fmt.Errorf("discovery of %s: %w", u.RequestURI(), err)
	}
	if err := checkJSON(r, header, body); err != nil {
		return fmt.Errorf("discovery: %w", err)
	}
	if err := utiljson.Unmarshal(body, into); err != nil {
		return fmt.Errorf("discovery: the answer to %s cannot be read: %w", r, err)
	}
	return nil
}

func (c *Client) discoverRoot(ctx context.Context, root string, all *discovery) error {
	var doc discoveryRoot
	if err := c.getJSON(ctx, acceptDiscovery, &doc, root); err != nil {
		return err
	}
	switch doc.Kind {
	case "APIGroupDiscoveryList":
		for _, group := range doc.Items {
			all.addGroup(group)
		}
	case "APIVersions":
		for _, version := range doc.Versions {
			c.discoverVersion(ctx, schema.GroupVersion{Version: version}, all)
		}
	case "APIGroupList":
		for _, group := range doc.Groups {
			versions := []string{}
			if group.PreferredVersion.Version != "" {
				versions = append(versions, group.PreferredVersion.Version)
			}
			for _, v := range group.Versions {
				if v.Version != group.PreferredVersion.Version {
					versions = append(versions, v.Version)
				}
			}
			for _, version := range versions {
				c.discoverVersion(ctx, schema.GroupVersion{Group: group.Name, Version: version}, all)
			}
		}
	default:
		return fmt.Errorf("discovery of /%s: the answer is of kind %q, which is not a discovery document", root, doc.Kind)
	}
	return nil
}

// addGroup adds a group from an aggregated discovery document.
func (d *discovery) addGroup(group discoveryGroup) {
	for _, v := range group.Versions {
		gv := schema.GroupVersion{Group: group.Metadata.Name, Version: v.Version}
		if v.Freshness == "Stale" {
			d.addUnavailable(gv, fmt.Errorf("discovery of %s is stale: %w", gv, errStale))
			continue
		}
		for _, r := range v.Resources {
			// A resource without a kind only groups subresources.
			if r.ResponseKind == nil || r.ResponseKind.Kind == "" {
				continue
			}
			d.add(Resource{
				Group: gv.Group, Version: gv.Version, Resource: r.Resource, Kind: r.ResponseKind.Kind, Singular: r.Singular,
				Namespaced: r.Scope == "Namespaced", Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
			})
		}
	}
}

// discoverVersion requests the resources of one group version, from a server without aggregated discovery.
func (c *Client) discoverVersion(ctx context.Context, gv schema.GroupVersion, all *discovery) {
	if ctx.Err() != nil {
		return
	}
	segments := []string{"apis", gv.Group, gv.Version}
	if gv.Group == "" {
		segments = []string{"api", gv.Version}
	}
	var list metav1.APIResourceList
	if err := c.getJSON(ctx, "application/json", &list, segments...); err != nil {
		all.addUnavailable(gv, err)
		return
	}
	for _, r := range list.APIResources {
		if slices.Contains([]byte(r.Name), '/') {
			continue
		}
		all.add(Resource{
			Group: gv.Group, Version: gv.Version, Resource: r.Name, Kind: r.Kind, Singular: r.SingularName,
			Namespaced: r.Namespaced, Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
		})
	}
}
