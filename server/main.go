package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"informerscope/server/internal/scrub"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	if logged := (*loggedError)(nil); !errors.As(err, &logged) {
		fmt.Fprintln(os.Stderr, message(err))
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		os.Exit(2)
	}
	os.Exit(1)
}

// message is an error as the program ends with it, without what looks like a credential.
func message(err error) string { return "informerscope: " + (*scrub.Scrubber)(nil).Text(err.Error()) }
