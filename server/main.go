package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"informerscope/server/internal/scrub"
)

func main() {
	cobra.MousetrapHelpText = "" // started from Windows Explorer, the program serves too
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err == nil {
		return
	}
	status := (*exitStatus)(nil)
	if errors.As(err, &status) && status.err == nil {
		os.Exit(status.code)
	}
	if logged := (*loggedError)(nil); !errors.As(err, &logged) {
		fmt.Fprintln(os.Stderr, message(err))
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		os.Exit(2)
	}
	if status != nil {
		os.Exit(status.code)
	}
	os.Exit(1)
}

// message is an error as the program ends with it, for a terminal and without what looks like a credential.
func message(err error) string {
	return "informerscope: " + printable((*scrub.Scrubber)(nil).Text(err.Error()))
}
