package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"informerscope/core/ask/doctor"
	"informerscope/core/client/restwatch"
	"informerscope/core/words/object"
	"informerscope/server/internal/clusters"
)

// opinionTimeout bounds all plain lists of one examination.
const opinionTimeout = 30 * time.Second

// lister sends plain lists to the cluster of a context. They only read.
type lister struct {
	upstream *clusters.Upstream
	client   *restwatch.Client
}

// newLister returns a lister for a context of a kubeconfig, "" for the files of KUBECONFIG.
func newLister(kubeconfig, contextName string) (*lister, error) {
	upstream, err := clusters.NewLoader(kubeconfig, contextName).Upstream(contextName)
	if err != nil {
		return nil, fmt.Errorf("--context: %w", err)
	}
	return &lister{upstream, &restwatch.Client{HTTP: &http.Client{Transport: upstream}, Base: upstream.Base, UserAgent: "informerscope"}}, nil
}

// listAll sends requests one after another, none for "".
func (l *lister) listAll(ctx context.Context, requests []string) []doctor.List {
	ctx, cancel := context.WithTimeout(ctx, opinionTimeout)
	defer cancel()
	lists := make([]doctor.List, len(requests))
	for i, request := range requests {
		if request != "" {
			lists[i] = l.list(ctx, request)
		}
	}
	return lists
}

// list reads all pages of a list, and keeps the versions of its objects.
func (l *lister) list(ctx context.Context, request string) doctor.List {
	all := doctor.List{Versions: map[string]string{}}
	for continues := ""; ; {
		page, err := l.page(ctx, request, continues)
		if err != nil {
			return doctor.List{Err: err}
		}
		for _, o := range page.Items {
			key := o.GetName()
			if namespace := o.GetNamespace(); namespace != "" {
				key = namespace + "/" + key
			}
			all.Versions[key] = o.GetResourceVersion()
		}
		all.RV = page.ResourceVersion
		if continues = page.Continue; continues == "" {
			return all
		}
	}
}

func (l *lister) page(ctx context.Context, request, continues string) (*object.List, error) {
	if continues != "" {
		request += "&continue=" + url.QueryEscape(continues)
	}
	body, err := l.client.Do(ctx, http.MethodGet, request, "", nil)
	if failure := (*url.Error)(nil); errors.As(err, &failure) {
		_, words := l.upstream.Explain(failure.Err)
		return nil, errors.New(words)
	}
	if err != nil {
		return nil, err
	}
	return object.ParseList(body)
}
