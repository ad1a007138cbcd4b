package informer

// UndeltaStore is a Store that calls PushFunc with the complete contents after every change. PushFunc may be called from several goroutines at once. If
// changes are close together, it may get the same contents twice.
type UndeltaStore struct {
	Store
	PushFunc func([]interface{})
}

var _ Store = &UndeltaStore{}

// NewUndeltaStore returns an empty UndeltaStore.
func NewUndeltaStore(pushFunc func([]interface{}), keyFunc KeyFunc) *UndeltaStore {
	return &UndeltaStore{Store: NewStore(keyFunc), PushFunc: pushFunc}
}

func (u *UndeltaStore) push(err error) error {
	if err == nil {
		u.PushFunc(u.Store.List())
	}
	return err
}

// Add stores obj and calls PushFunc.
func (u *UndeltaStore) Add(obj interface{}) error { return u.push(u.Store.Add(obj)) }

// Update stores obj and calls PushFunc.
func (u *UndeltaStore) Update(obj interface{}) error { return u.push(u.Store.Update(obj)) }

// Delete removes obj and calls PushFunc, even if it was not stored.
func (u *UndeltaStore) Delete(obj interface{}) error { return u.push(u.Store.Delete(obj)) }

// Replace replaces the contents by list, of which it takes ownership, and calls PushFunc.
func (u *UndeltaStore) Replace(list []interface{}, resourceVersion string) error {
	return u.push(u.Store.Replace(list, resourceVersion))
}
