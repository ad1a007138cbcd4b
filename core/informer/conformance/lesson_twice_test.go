package conformance

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// create creates an object, whose watch event comes later. A name that exists is refused.
func (c *small) create(name string, later time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects[name] != nil {
		return apierrors.NewAlreadyExists(schema.GroupResource{Resource: "pods"}, name)
	}
	c.rv++
	o := &object{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: strconv.Itoa(c.rv)}}
	c.objects[name] = o
	time.AfterFunc(later, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, w := range c.streams { // a watch that was opened after the write has its event too
			w.Add(o.DeepCopy())
		}
	})
	return nil
}

// testTwice runs a controller that creates a child if the lister has none, and fails afterwards, as with a 409. The retry comes before the watch event of
// the child. With a generated name it creates a second one, with a fixed name it is refused.
func testTwice(t *testing.T) {
	runBoth(t, `
generated names: 2 created, 0 AlreadyExists, the lister knew 0 0 2
a fixed name: 1 created, 1 AlreadyExists, the lister knew 0 0 1`, func(t *testing.T, mine bool, say func(string, ...any)) {
		for _, fixed := range []bool{false, true} {
			c := newSmall("a")
			q := queue(t, mine)
			i := newSharedInformer(t, mine, c, listener{add: func(o any) {
				if keyOf(o) == "ns/a" {
					q.Add("ns/a")
				}
			}})
			created, refused, knew := 0, 0, ""
			go func() {
				for {
					key, shutdown := q.Get()
					if shutdown {
						return
					}
					children := 0
					for _, k := range i.Keys() {
						if strings.HasPrefix(k, key+"-") {
							children++
						}
					}
					knew += fmt.Sprintf(" %d", children)
					if children > 0 {
						q.Forget(key)
						q.Done(key)
						continue
					}
					name := "a-child"
					if !fixed {
						name = fmt.Sprintf("a-%d", created) // a new name each time, as the API server generates them
					}
					switch err := c.create(name, 9*time.Millisecond); {
					case err == nil:
						created++
					case apierrors.IsAlreadyExists(err):
						refused++
					default:
						t.Error(err)
					}
					q.AddRateLimited(key) // after 5 ms, then 10 ms: the write that follows has failed
					q.Done(key)
				}
			}()
			<-time.After(time.Second)
			synctest.Wait()
			name := "generated names"
			if fixed {
				name = "a fixed name"
			}
			say("%s: %d created, %d AlreadyExists, the lister knew%s", name, created, refused, knew)
			q.ShutDown()
			synctest.Wait()
		}
	})
}
