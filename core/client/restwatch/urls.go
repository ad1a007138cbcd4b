package restwatch

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resourceURL returns the URL of a resource, or of one object: below /api/v1 for the core group and below /apis/<group>/<version> for others, with or
// without a namespace.
func (c *Client) resourceURL(gvr schema.GroupVersionResource, namespace, name string) (*url.URL, error) {
	segments := []string{"apis", gvr.Group, gvr.Version}
	if gvr.Group == "" {
		segments = []string{"api", gvr.Version}
	}
	if namespace != "" {
		segments = append(segments, "namespaces", namespace)
	}
	segments = append(segments, strings.ToLower(gvr.Resource)) // as client-go's Request.URL does
	if name != "" {
		segments = append(segments, name)
	}
	return c.join(segments...)
}

// join appends path segments to Base, and escapes each.
func (c *Client) join(segments ...string) (*url.URL, error) {
	if c.Base == nil {
		return nil, errors.New("the client has no Base URL")
	}
	escaped := make([]string, len(segments))
	for i, s := range segments {
		// apimachinery's validation/path.IsValidPathSegmentName forbids these: no object can have such a name, and the path would lead elsewhere.
		if s == "" || s == "." || s == ".." || strings.ContainsAny(s, "/%") {
			return nil, fmt.Errorf("%q cannot be part of an API path (%s)", s, strings.Join(segments, "/"))
		}
		escaped[i] = url.PathEscape(s)
	}
	return c.urlFor(strings.Join(escaped, "/")), nil
}

// pathURL returns the URL for an escaped path relative to Base, which may include a query.
func (c *Client) pathURL(path string) (*url.URL, error) {
	if c.Base == nil {
		return nil, errors.New("the client has no Base URL")
	}
	path, query, _ := strings.Cut(path, "?")
	plain, err := url.PathUnescape(path)
	if err != nil {
		return nil, fmt.Errorf("the path %q cannot be sent: %w", path, err)
	}
	for s := range strings.SplitSeq(plain, "/") {
		if s == ".." {
			return nil, fmt.Errorf("the path %q leads out of the API", path)
		}
	}
	u := c.urlFor(path)
	u.RawQuery = query
	return u, nil
}

// urlFor returns Base with an escaped path appended, without query and fragment. JoinPath would make the path of a bare host a relative one, and
// messages would show it.
func (c *Client) urlFor(escaped string) *url.URL {
	base := *c.Base
	if base.Path == "" {
		base.Path = "/"
	}
	u := base.JoinPath(escaped)
	u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	return u
}
