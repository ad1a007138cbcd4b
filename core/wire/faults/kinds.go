package faults

import (
	"net/http"
	"time"
)

// kind is a fault by what it does.
type kind struct {
	// make applies it, or switches it if it stays on, and reports whether it is on now.
	make func(f *Faults, args Args) bool
	// stateLocked reports whether it is on, and the length that it has; nil if it does not stay on.
	stateLocked func(f *Faults) (bool, time.Duration)
}

// kinds are all faults, by name.
var kinds = map[string]kind{
	"cut":         {make: func(f *Faults, _ Args) bool { return f.cut() }},
	"410":         answers(http.StatusGone),
	"429":         answers(http.StatusTooManyRequests),
	"500":         answers(http.StatusInternalServerError),
	"refuse":      {(*Faults).toggleRefusal, func(f *Faults) (bool, time.Duration) { return f.refuses, 0 }},
	"nobookmarks": flag("nobookmarks", func(f *Faults) *bool { return &f.noBookmarks }),
	"noendmark":   flag("noendmark", func(f *Faults) *bool { return &f.noEndMark }),
	"forbidden":   flag("forbidden", func(f *Faults) *bool { return &f.forbids }),
	"halfopen":    {(*Faults).toggleSilence, func(f *Faults) (bool, time.Duration) { return f.silence != nil, 0 }},
	"delay":       {(*Faults).toggleDelay, func(f *Faults) (bool, time.Duration) { return f.delay > 0, f.delay }},
}

// answers is the fault that answers with a code.
func answers(code int) kind {
	return kind{make: func(f *Faults, args Args) bool {
		f.answer(code, max(1, min(args.Count, MaxAnswers)))
		return false
	}}
}

// flag is a fault that stays on and does no more than that.
func flag(name string, field func(f *Faults) *bool) kind {
	return kind{
		make: func(f *Faults, args Args) bool {
			f.mu.Lock()
			now := args.Switched(*field(f))
			*field(f) = now
			f.mu.Unlock()
			f.report(Strike{Name: name, On: now})
			return now
		},
		stateLocked: func(f *Faults) (bool, time.Duration) { return *field(f), 0 },
	}
}

// Switched returns what a fault is after a call, if it was on or not before it.
func (a Args) Switched(before bool) bool {
	if a.On != nil {
		return *a.On
	}
	return !before
}
