package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"informerscope/e2e/internal/proc"
)

// Kubectl runs the kubectl built with the control plane against it, and
// returns its standard output. The user's own kubeconfig is never read.
func (cp *ControlPlane) Kubectl(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, cp.Bin.Kubectl, append([]string{"--kubeconfig=" + cp.Kubeconfig}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG=", "KUBECTL_KUBERC=false", "HOME="+cp.state)
	proc.OwnGroup(cmd)
	cmd.Cancel = func() error { return proc.KillGroup(cmd.Process) }
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}
