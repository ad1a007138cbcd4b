package informer

// UndeltaStore is a Store that gives PushFunc the complete contents after
// every change. PushFunc may be called from several goroutines at once, and
// twice with the same contents when changes come close together.
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

// Add stores obj and pushes.
func (u *UndeltaStore) Add(obj interface{}) error { return u.push(u.Store.Add(obj)) }

// Update stores obj and pushes.
func (u *UndeltaStore) Update(obj interface{}) error { return u.push(u.Store.Update(obj)) }

// Delete removes obj and pushes, even if it was not stored.
func (u *UndeltaStore) Delete(obj interface{}) error { return u.push(u.Store.Delete(obj)) }

// Replace makes list, which becomes the store's, the contents and pushes.
func (u *UndeltaStore) Replace(list []interface{}, resourceVersion string) error {
	return u.push(u.Store.Replace(list, resourceVersion))
}
