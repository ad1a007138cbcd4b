package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	_ "informerscope/sim/internal/etcdlog"
)

func main() {
	if runAsset(os.Args) {
		return
	}
	// SIGHUP and SIGQUIT too: the kubeconfig goes with the command.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	if err := newCommand(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "informerscope-sim:", err)
		os.Exit(1)
	}
}

// newCommand returns the command line of the program.
func newCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	s := settings{}
	root := &cobra.Command{
		Use:   "informerscope-sim",
		Short: "a Kubernetes cluster in one process, without containers",
		Long: `A Kubernetes cluster in one process: etcd, kube-apiserver, kube-controller-manager and
kube-scheduler, and kwok in the place of kubelets. Its pods run no containers. It
listens on loopback, and ends with the command. informerscope sim shows it on the page.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			return serve(cmd.Context(), s, stdin, stdout, stderr)
		},
		SilenceErrors:     true, // main reports them, once
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	s.addFlags(root.Flags())
	root.AddCommand(newAssetsCommand(stdout))
	return root
}

// endsWith ends ctx when standard input ends: the program that started this one has ended, however it did.
func endsWith(ctx context.Context, stdin io.Reader) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { // ends with the process at the latest: nothing can end a read of standard input
		_, _ = io.Copy(io.Discard, stdin)
		cancel(errors.New("standard input has ended"))
	}()
	return ctx
}
