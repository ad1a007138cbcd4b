package scrub

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler wraps next: messages and values go through Line.
func (s *Scrubber) Handler(next slog.Handler) slog.Handler { return &handler{s, next} }

type handler struct {
	s    *Scrubber
	next slog.Handler
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.s.Line(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.clean(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	cleaned := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		cleaned[i] = h.clean(a)
	}
	return &handler{h.s, h.next.WithAttrs(cleaned)}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler { return &handler{h.s, h.next.WithGroup(name)} }

func (h *handler) clean(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		v = slog.StringValue(h.s.Line(v.String()))
	case slog.KindGroup:
		group := v.Group()
		cleaned := make([]slog.Attr, len(group))
		for i, b := range group {
			cleaned[i] = h.clean(b)
		}
		v = slog.GroupValue(cleaned...)
	case slog.KindAny:
		switch x := v.Any().(type) {
		case nil:
		case *slog.Source:
			return a
		default: // an error, or something that would be printed as it is
			v = slog.StringValue(h.s.Line(fmt.Sprintf("%+v", x)))
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}
