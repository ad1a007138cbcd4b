// Command controlplane builds the control plane of package cluster into the user's cache. With -run it also
// runs one until it is interrupted, for looking at informerscope on a real API server by hand.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"informerscope/e2e/cluster"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

func run() error {
	start := flag.Bool("run", false, "start a control plane and keep it until interrupted")
	pods := flag.Int("pods", 1000, "with -run: how many pods to create")
	namespaces := flag.Int("namespaces", 20, "with -run: over how many namespaces")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	bin, err := cluster.Binaries(ctx, os.Stderr)
	if err != nil {
		return err
	}
	if bin.BuildTime > 0 {
		fmt.Fprintf(os.Stderr, "built in %s\n", bin.BuildTime.Round(time.Second))
	}
	if !*start {
		fmt.Println(bin.Etcd)
		fmt.Println(bin.KubeAPIServer)
		fmt.Println(bin.Kubectl)
		return nil
	}
	if *pods < 0 || *namespaces < 1 {
		return fmt.Errorf("-pods must not be negative and -namespaces at least 1")
	}
	cp, err := cluster.Start(ctx, cluster.Options{Progress: os.Stderr})
	if err != nil {
		return err
	}
	defer cp.Close()
	fmt.Fprintf(os.Stderr, "ready in %s\n", cp.StartTime.Round(time.Millisecond))
	begin := time.Now()
	if err := cp.PopulatePods(ctx, *pods, *namespaces); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d pods created in %s\n", *pods, time.Since(begin).Round(time.Millisecond))
	fmt.Printf("KUBECONFIG=%s\n", cp.Kubeconfig)
	<-ctx.Done()
	return nil
}
