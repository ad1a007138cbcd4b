package play

import (
	"context"
	"errors"
	"slices"
	"time"
)

// plain is what NewInformerWithOptions returns in either library: a store and a controller whose process loop calls the single handler directly.
type plain struct {
	Controller
	handler *listener
	over    bool
}

var errPlain = errors.New("not for a plain informer")

func newPlain(lib *Library, o Options) *plain {
	p := &plain{}
	p.Controller = lib.Plain(o, p)
	return p
}

// plainRegistration is the registration of a plain informer's handler: its HasSynced is that of the controller.
type plainRegistration struct{ p *plain }

func (r plainRegistration) HasSynced() bool { return r.p.HasSynced() }

// AddHandler accepts one handler, which must not be slow. The handler is called with the queue locked. A slow handler would make other goroutines
// wait for the mutex, which stops the clock of the bubble, so the script would never end. makePlain puts a quick handler first, but shrinking
// may have removed it.
func (p *plain) AddHandler(h Handler, _ func(any) bool, _ *time.Duration) (Registration, error) {
	l := h.(*listener)
	if p.handler != nil || l.slow > 0 {
		return nil, errPlain
	}
	p.handler = l
	return plainRegistration{p}, nil
}
func (p *plain) Remove(Registration, bool) error          { return errPlain }
func (p *plain) SetTransform(TransformFunc) error         { return errPlain }
func (p *plain) SetWatchErrorHandler(func(error)) error   { return errPlain }
func (p *plain) AddIndexers(x map[string]IndexFunc) error { return p.Controller.AddIndexers(x) }
func (p *plain) Run(ctx context.Context)                  { p.Controller.Run(ctx); p.over = true }
func (p *plain) HasSynced() bool                          { return p.Controller.HasSynced() }
func (p *plain) Store() Cache                             { return p.Controller.Store }
func (p *plain) Keys() []string                           { return p.View().Keys }
func (p *plain) View() View                               { return p.Controller.View() }
func (p *plain) Stopped() bool                            { return p.over }

// OnAdd implements Handler, as OnUpdate and OnDelete do.
func (p *plain) OnAdd(o any, initial bool) {
	if p.handler != nil {
		p.handler.OnAdd(o, initial)
	}
}

func (p *plain) OnUpdate(old, o any) {
	if p.handler != nil {
		p.handler.OnUpdate(old, o)
	}
}

func (p *plain) OnDelete(o any) {
	if p.handler != nil {
		p.handler.OnDelete(o)
	}
}

// makePlain prepares a script for a plain informer: its first handler returns at once, see AddHandler.
func (s *Script) makePlain() {
	s.plain = true
	s.early = slices.Clone(s.early)
	s.early = append([]op{handler(spec{name: "plain", resync: -1})}, s.early...)
}
