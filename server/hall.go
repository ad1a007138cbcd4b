package main

import (
	"fmt"
	"log/slog"

	"informerscope/server/internal/audience"
	"informerscope/server/internal/connlimit"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/relay"
	"informerscope/server/internal/scrub"
)

// openHall opens the audience's side of the server; nil without --broadcast.
func openHall(s settings, scrubber *scrub.Scrubber, refusals *guard.Tally, log *slog.Logger) (*audience.Hall, error) {
	if !s.broadcast {
		return nil, nil
	}
	hall, err := audience.Open(audience.Options{
		Dir:       s.broadcastDir,
		Objects:   s.broadcastObj,
		Text:      relay.HallText(scrubber),
		Object:    relay.HallObject,
		MaxHeld:   s.maxFollowers,
		Admit:     connlimit.Admit,
		OnRefusal: func(rule string) { refusals.Count(slog.LevelWarn, rule) },
		Log:       log,
	})
	if err != nil {
		return nil, fmt.Errorf("--broadcast-dir: %w", err)
	}
	if hall.Token() == s.token {
		return nil, fmt.Errorf("the audience's token is the same as the launch's: give another --token")
	}
	scrubber.Learn("the audience", []string{hall.Token()})
	return hall, nil
}

// audience returns the lines to print for the audience, one for each address; "" without --broadcast.
func (l links) audience(hall *audience.Hall) (lines string) {
	if hall == nil {
		return ""
	}
	for _, base := range l.bases {
		lines += fmt.Sprintf("informerscope: the audience opens %s%s\n", base, hall.Path())
	}
	return lines
}
