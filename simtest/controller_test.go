package simtest

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Controller is a small controller: of each ConfigMap with a key "value" it writes that value into an annotation.
type Controller struct {
	client kubernetes.Interface
	lister corelisters.ConfigMapLister
	synced cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[string]
}

const annotation = "example.com/value"

// NewController returns a controller that uses these clients.
func NewController(client kubernetes.Interface, maps coreinformers.ConfigMapInformer) *Controller {
	c := &Controller{client: client, lister: maps.Lister(), synced: maps.Informer().HasSynced,
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
	add := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			c.queue.Add(key)
		}
	}
	_, _ = maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }})
	return c
}

// Run reconciles until ctx is done.
func (c *Controller) Run(ctx context.Context) {
	stop := context.AfterFunc(ctx, c.queue.ShutDown)
	defer stop()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced) {
		return
	}
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if err := c.reconcile(ctx, key); err != nil {
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

func (c *Controller) reconcile(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	m, err := c.lister.ConfigMaps(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || m.Data["value"] == "" || m.Annotations[annotation] == m.Data["value"] {
		return err
	}
	m = m.DeepCopy()
	metav1.SetMetaDataAnnotation(&m.ObjectMeta, annotation, m.Data["value"])
	_, err = c.client.CoreV1().ConfigMaps(namespace).Update(ctx, m, metav1.UpdateOptions{})
	return err
}
