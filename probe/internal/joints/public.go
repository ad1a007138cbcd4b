//go:build informerscope_public

package joints

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// Available reports that the joints are not in the program.
const Available = false

var errLeftOut = errors.New(LeftOut)

func Calibrate() error { return errLeftOut }

func Indexed() StoreChange { return Unknown }

func Enqueued() cache.DeltaType { return "" }

type Informer struct {
	Problems map[string]string
}

func Look(cache.SharedIndexInformer) *Informer {
	return &Informer{Problems: map[string]string{"listeners": LeftOut, "queue": LeftOut, "queued": LeftOut}}
}

func Example(cache.SharedIndexInformer) runtime.Object { return nil }

func (*Informer) IsSame(*Informer) bool { return false }

func (*Informer) Transform() (cache.TransformFunc, bool) { return nil, false }

func (*Informer) Stored([]byte) (interface{}, bool) { return nil, false }

func (*Informer) Len() (int, bool) { return 0, false }

func (*Informer) TryLen() (int, bool) { return 0, false }

func (*Informer) Listeners(func([]*Listener, bool, error)) {}

func (*Informer) TryListeners(func([]*Listener, error)) {}

func (*Informer) TryQueue() (*Queue, error) { return nil, nil }

type Listener struct {
	Name      string
	Address   uintptr
	HasSynced func() bool
}

func (*Listener) Handler() cache.ResourceEventHandler { return nil }

func (*Listener) SetHandler(cache.ResourceEventHandler) {}

func (*Listener) Ring() (Ring, error) { return Ring{}, errLeftOut }

type Queue struct {
	Kind, Release string
}

func (*Queue) TryRead(int, func(*cache.Delta)) (int, bool) { return -1, false }

type FactoryInformer struct {
	Key, Value interface{}
}

func Factory(interface{}, func([]FactoryInformer)) error { return errLeftOut }

func (FactoryInformer) Replace(interface{}) {}

func SourceOf[Q any](interface{}) (s Source[Q], ok bool) { return s, false }
