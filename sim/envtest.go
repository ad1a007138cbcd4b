package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"informerscope/sim/internal/controlplane"
	"informerscope/sim/internal/life"
)

// The variables by which kube-apiserver and etcd do more than those that people download.
const (
	// envControllers names the controllers that run beside kube-apiserver, as --controllers does; none if it is not set.
	envControllers = "INFORMERSCOPE_CONTROLLERS"
	// envRecording is the file for a recording of the resources that envResources names.
	envRecording = "INFORMERSCOPE_RECORDING"
	envResources = "INFORMERSCOPE_RECORDING_RESOURCES"
)

const (
	// parentEvery is how often a process looks whether its parent lives.
	parentEvery = 500 * time.Millisecond
	// endPatience is how long a process may take to end after that, and how long components may take to end after their API server.
	endPatience = 5 * time.Second
)

// runAPIServer runs the command kube-apiserver, and beside it what the variables name. It returns the status to exit with.
func runAPIServer(flags []string) int {
	command := app.NewAPIServerCommand()
	controllers, recording := os.Getenv(envControllers), os.Getenv(envRecording)
	if controllers == "" && recording == "" {
		return cli.Run(command)
	}
	if controllers == "" {
		controllers = "none"
	}
	var resources []schema.GroupResource
	if recording != "" {
		var err error
		if resources, err = parseResources(os.Getenv(envResources)); err != nil {
			fmt.Fprintln(os.Stderr, "Error:", err)
			return 1
		}
	}
	beside, err := controlplane.NewBeside(flags, controlplane.Options{
		Controllers: parseControllers(controllers), Speed: 1, Stages: life.CrashStages, Stopped: life.KubeletStopped, Logs: os.Stderr,
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "Error: %s=%s: %v\n", envControllers, controllers, err)
		return 1
	}
	if beside == nil {
		return cli.Run(command)
	}
	go endWithParent(os.Getppid(), func() { _ = beside.Close() })
	command.SetArgs(append(flags, beside.Flags()...))
	ctx, stop := context.WithCancel(command.Context()) // it ends with the first signal
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := runBeside(ctx, beside, recording, resources); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "Error:", err)
			_ = beside.Close()
			os.Exit(1) // the tests must not go on without them
		}
	}()
	code := cli.Run(command)
	stop()
	select {
	case <-ended:
	case <-time.After(endPatience):
	}
	_ = beside.Close()
	return code
}

// runBeside runs what the variables name until ctx ends.
func runBeside(ctx context.Context, beside *controlplane.Beside, recording string, resources []schema.GroupResource) error {
	if err := beside.WaitReady(ctx); err != nil {
		return err
	}
	if recording == "" {
		return beside.Run(ctx)
	}
	config, err := beside.Config(controlplane.Levers)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		if err := record(ctx, config, recording, resources); err != nil {
			failed <- fmt.Errorf("%s=%s: %w", envRecording, recording, err)
		}
		close(failed)
	}()
	err = beside.Run(ctx)
	stop()
	return errors.Join(err, <-failed)
}

// endWithParent ends this process as a signal does, once the program that started it has ended: a test that was killed cannot end it. If that takes too
// long, it calls clean and exits.
func endWithParent(parent int, clean func()) {
	for range time.Tick(parentEvery) {
		if os.Getppid() == parent {
			continue
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(os.Interrupt) == nil {
			time.Sleep(endPatience)
		}
		clean()
		os.Exit(1)
	}
}
