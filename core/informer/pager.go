package informer

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// defaultPageSize is the Limit of a paged LIST.
const defaultPageSize = 500

// pager reads a list in pages.
type pager struct {
	// pageSize is the Limit of each request; zero asks for everything at once.
	pageSize int64
	fetch    func(metav1.ListOptions) (runtime.Object, error)
}

// pagedList is a pager's result: either one list object, or the items of all pages and the resourceVersion of the first.
type pagedList struct {
	whole           runtime.Object
	items           []runtime.Object
	resourceVersion string
	// paginated is set if the server answered with more than one page.
	paginated bool
}

// list mirrors client-go tools/pager.(*ListPager).ListWithAlloc (v0.37.2): if the continue token expires, it requests everything again in one piece.
func (p *pager) list(options metav1.ListOptions) (pagedList, error) {
	if options.Limit == 0 {
		options.Limit = p.pageSize
	}
	first := options
	var got pagedList
	for {
		obj, err := p.fetch(options)
		if err != nil {
			if !apierrors.IsResourceExpired(err) || options.Continue == "" {
				return pagedList{paginated: got.paginated}, err
			}
			first.Limit = 0
			whole, err := p.fetch(first)
			return pagedList{whole: whole, paginated: got.paginated}, err
		}
		m, err := meta.ListAccessor(obj)
		if err != nil {
			return pagedList{paginated: got.paginated}, fmt.Errorf("returned object must be a list: %v", err)
		}
		next := m.GetContinue()
		if next == "" && !got.paginated {
			return pagedList{whole: obj}, nil
		}
		if !got.paginated {
			got.paginated = true
			got.resourceVersion = m.GetResourceVersion()
			got.items = make([]runtime.Object, 0, options.Limit+1)
		}
		if err := meta.EachListItemWithAlloc(obj, func(item runtime.Object) error {
			got.items = append(got.items, item)
			return nil
		}); err != nil {
			return pagedList{paginated: true}, err
		}
		if next == "" {
			return got, nil
		}
		// A server refuses a resourceVersion together with a continue token.
		options.Continue = next
		options.ResourceVersion = ""
		options.ResourceVersionMatch = ""
	}
}
