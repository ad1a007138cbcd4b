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
	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
)

// opinionTimeout bounds all plain lists of one examination.
const opinionTimeout = 30 * time.Second

// lister sends plain lists to the cluster of a context. They only read.
type lister struct {
	kubeconfig *clusters.Loader
	upstream   *clusters.Upstream
	client     *restwatch.Client
}

// newLister returns a lister for a context of a kubeconfig, "" for the files of KUBECONFIG. The caller closes its kubeconfig.
func newLister(kubeconfig, contextName string) (*lister, error) {
	loader := clusters.NewLoader(kubeconfig, contextName)
	upstream, err := loader.Upstream(contextName)
	if err != nil {
		loader.Close()
		return nil, fmt.Errorf("--context: %w", err)
	}
	return &lister{loader, upstream, newClient(upstream)}, nil
}

// allowLists empties each request that is no list of a resource which the relay serves by default. A recording of a process says what it likes.
func allowLists(requests []string) error {
	resources, err := guard.ParseResources("*")
	if err != nil {
		return err
	}
	for i, request := range requests {
		r, err := http.NewRequest(http.MethodGet, guard.ClustersPrefix+"x"+request, http.NoBody)
		if err != nil {
			requests[i] = ""
			continue
		}
		if asked, refusal := (guard.Rules{Resources: resources}).Check(r); refusal != nil || asked.Resource == "" || asked.Name != "" || asked.Watch {
			requests[i] = ""
		}
	}
	return nil
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
	rv, versions, err := l.client.ListVersions(ctx, request)
	if failure := (*url.Error)(nil); errors.As(err, &failure) {
		_, words := l.upstream.Explain(failure.Err)
		err = errors.New(words)
	}
	return doctor.List{RV: rv, Versions: versions, Err: err}
}
