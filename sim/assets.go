package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // kubectl has it
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
)

// assets are the programs that tests on envtest start from the directory KUBEBUILDER_ASSETS. Each is this program under another name.
var assets = []string{"kube-apiserver", "etcd", "kubectl"}

// runAsset runs the program that this one is by its name, and reports whether it is one of the assets.
func runAsset(args []string) bool {
	switch name := strings.TrimSuffix(filepath.Base(args[0]), ".exe"); name {
	case "etcd":
		if os.Getenv(envControllers) != "" || os.Getenv(envRecording) != "" {
			go endWithParent(os.Getppid(), func() {})
		}
		etcdmain.Main(args)
	case "kube-apiserver":
		os.Exit(runAPIServer(args[1:]))
	case "kubectl":
		logs.GlogSetter(kubectl.GetLogVerbosity(args)) // nolint:errcheck // as kubectl itself does
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	default:
		return false
	}
	return true
}

func newAssetsCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "assets DIRECTORY",
		Short: "write kube-apiserver, etcd and kubectl for tests on envtest",
		Long: `Writes kube-apiserver, etcd and kubectl into a directory: for tests on envtest in any
language, which start what they find in the directory of KUBEBUILDER_ASSETS.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			directory, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if err := writeAssets(directory); err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "export KUBEBUILDER_ASSETS=%s\n", quote(directory))
			return err
		},
	}
}

// writeAssets puts this program into a directory under each name: as a link, or a copy where there can be no link.
func writeAssets(directory string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	for _, name := range assets {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		file := filepath.Join(directory, name)
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if os.Link(program, file) != nil {
			if err := copyProgram(program, file); err != nil {
				return err
			}
			program = file // the next ones are links to the copy
		}
	}
	return nil
}

func copyProgram(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// quote writes a path as a word of a shell.
func quote(path string) string {
	if !slices.ContainsFunc([]rune(path), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r))
	}) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
