package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// runCheck runs a command that passes or fails as a whole, or says in its last
// line why it was left out: "left out: " and the reason.
func runCheck(ctx context.Context, c command, out io.Writer) (*record, error) {
	rec := &record{Name: c.name, Command: c.String(), Began: time.Now()}
	fmt.Fprintf(out, "%s: %s\n", c.name, rec.Command)
	cmd := program(ctx, c.dir, c.args)
	var said bytes.Buffer
	cmd.Stdout = io.MultiWriter(out, &said)
	cmd.Stderr = cmd.Stdout
	g := &group{What: c.name}
	if err := cmd.Run(); err != nil {
		g = broken(c.name, said.String()+err.Error())
		fmt.Fprintf(out, "FAIL  %s: %v\n", c.name, err)
	} else if why, is := leftOut(said.String()); is {
		g.Skipped, g.Skips = 1, []result{{c.name, why}}
	} else {
		g.Passed = 1
	}
	rec.Seconds = time.Since(rec.Began).Seconds()
	g.Seconds = rec.Seconds
	rec.Groups = []*group{g}
	return rec, nil
}

// leftOut is why a check was left out, if its last line says so.
func leftOut(said string) (why string, is bool) {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return strings.CutPrefix(lines[len(lines)-1], "left out: ")
}
