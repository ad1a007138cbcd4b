package restwatch

import (
	"context"
	"net/http"
	"net/url"

	"informerscope/core/words/object"
)

// ListVersions reads all pages of a list and keeps only versions: the list's, and that of each object by its key. request is the path and query of the first
// page, as for [Client.Do]. Its errors are those of List.
func (c *Client) ListVersions(ctx context.Context, request string) (rv string, versions map[string]string, err error) {
	versions = map[string]string{}
	for page := request; ; {
		body, err := c.Do(ctx, http.MethodGet, page, "", nil)
		if err != nil {
			return "", nil, err
		}
		list, err := object.ParseList(body)
		if err != nil {
			return "", nil, err
		}
		for _, o := range list.Items {
			key := o.GetName()
			if namespace := o.GetNamespace(); namespace != "" {
				key = namespace + "/" + key
			}
			versions[key] = o.GetResourceVersion()
		}
		if list.Continue == "" {
			return list.ResourceVersion, versions, nil
		}
		page = request + "&continue=" + url.QueryEscape(list.Continue)
	}
}
