package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"informerscope/tools/wasmpage/determinism"
	"informerscope/tools/wasmpage/toolchain"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "steadygo:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: steadygo DIR COMMAND ARG...")
	}
	tc, err := toolchain.Find(args[0])
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	replace := map[string]string{}
	if err := determinism.Prepare(tc.ForPage(), dir, replace); err != nil {
		return err
	}
	overlay, err := toolchain.WriteOverlay(dir, replace)
	if err != nil {
		return err
	}
	cmd := tc.Command(append([]string{args[1], "-overlay", overlay}, args[2:]...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
