package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"

	"k8s.io/klog/v2"

	"informerscope/sim/internal/controlplane"
	"informerscope/sim/internal/life"
)

// serve runs a cluster until ctx ends, or a component of it does by itself.
func serve(ctx context.Context, s settings, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	if s.beside {
		ctx = endsWith(ctx, stdin)
	}
	logs := &tail{max: maxTail}
	components := io.Writer(logs)
	if s.verbose {
		components = stderr
	}
	logTo(components)
	defer func() {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = nil // it was asked to end while it started
		}
		if err != nil {
			_, _ = fmt.Fprintf(stderr, "%s", logs)
		}
	}()
	writes := newWriteLog()
	cluster, err := controlplane.Start(ctx, controlplane.Options{Data: s.data, Controllers: parseControllers(s.controllers), Speed: s.speed,
		Stages: life.CrashStages, Stopped: life.KubeletStopped, Audit: writes, Logs: components})
	if err != nil {
		return err
	}
	defer func() {
		if closing := cluster.Close(); err == nil {
			err = closing
		}
	}()
	config, err := cluster.Config(controlplane.Levers)
	if err != nil {
		return err
	}
	lively, err := life.New(config, cluster, life.Options{Seed: s.seed, Objects: s.objects, Rate: s.rate, Profile: s.profile, Speed: s.speed, Log: stderr})
	if err != nil {
		return err
	}
	if err := seed(ctx, lively, cluster); err != nil {
		return err
	}
	living, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { lively.Run(living) })
	defer running.Wait()
	defer stop()
	door, err := openDoor(lively, writes)
	if err != nil {
		return err
	}
	defer door.close()
	if err := announce(stdout, s.beside, cluster.Kubeconfig(), door); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-cluster.Failure():
		return err
	}
}

// seed makes the initial objects, unless ctx ends or a component does by itself.
func seed(ctx context.Context, l *life.Life, cluster *controlplane.Cluster) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- l.Seed(ctx) }()
	select {
	case err := <-done:
		return err
	case err := <-cluster.Failure():
		cancel()
		<-done
		return err
	}
}

// announce prints where the cluster is.
func announce(stdout io.Writer, beside bool, kubeconfig string, d *door) error {
	if beside {
		return json.NewEncoder(stdout).Encode(map[string]string{"kubeconfig": kubeconfig, "door": d.url(), "token": d.token})
	}
	_, err := fmt.Fprintf(stdout, "export KUBECONFIG=%s\n", quote(kubeconfig))
	return err
}

// logTo sends what the components log to a writer.
func logTo(components io.Writer) {
	flags := flag.NewFlagSet("", flag.PanicOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL", "one_output": "true"} {
		if err := flags.Set(name, value); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(components)
}
