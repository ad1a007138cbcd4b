package informer

// ListenerIdentity is implemented by the registrations of this package's informers. It relates a registration to the Listener in events, snapshots and
// Gates.
type ListenerIdentity interface {
	// ListenerID is the listener's number, counted from 1 in the order of registration.
	ListenerID() int32
}

// ListenerID implements ListenerIdentity.
func (p *processorListener) ListenerID() int32 { return p.id }
