package clusters

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// client-go buffers everything that a credential plugin prints, and lets it write to this process's standard error. So client-go is made to run this
// program, which runs the plugin and forwards only as much as a credential may have (runPlugin). Its standard error is a pipe whose lines are logged
// (LogPlugins).

const (
	// pluginArgument is the first argument with which this program runs a credential plugin.
	pluginArgument = "run-credential-plugin"
	// maxCredential bounds what a plugin may print, in bytes: a token, or a certificate with its key.
	maxCredential = 1 << 20
	// pluginWaitDelay is how long a plugin's children may keep its output open after it has ended.
	pluginWaitDelay = time.Second
	// maxPluginLine bounds the length of a logged line before it is escaped, in bytes. maxPluginLines bounds the lines logged in a minute.
	maxPluginLine  = 16 << 10
	maxPluginLines = 100
)

// init runs a plugin if the arguments ask for it. It is in init rather than in main so that test binaries can do it too.
func init() {
	if len(os.Args) > 2 && os.Args[1] == pluginArgument {
		os.Exit(runPlugin(os.Args[2:]))
	}
}

// runPlugin runs a plugin and ends it when it prints more than maxCredential. It returns the exit code.
func runPlugin(command []string) int {
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	out := &credentialWriter{end: end}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, os.Stderr, pluginWaitDelay
	err := cmd.Run()
	exit := (*exec.ExitError)(nil)
	switch {
	case out.full:
		fmt.Fprintf(os.Stderr, "%s printed more than %d KiB, which is too much for a credential, and was ended\n", command[0], maxCredential>>10)
		return 1
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// credentialWriter copies at most maxCredential bytes to standard output, and ends the plugin if it prints more.
type credentialWriter struct {
	written int
	full    bool
	end     func()
}

// Write implements io.Writer.
func (w *credentialWriter) Write(p []byte) (int, error) {
	if w.written += len(p); w.written > maxCredential {
		w.full = true
		w.end()
		return 0, io.ErrShortWrite
	}
	return os.Stdout.Write(p)
}

// wrapPlugin makes client-go run this program, which runs the plugin of a kubeconfig. It returns false if the plugin is not found, which client-go reports
// itself.
func wrapPlugin(plugin *clientcmdapi.ExecConfig) (bool, error) {
	if _, err := exec.LookPath(plugin.Command); err != nil {
		return false, nil
	}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	plugin.Command, plugin.Args = self, append([]string{pluginArgument, plugin.Command}, plugin.Args...)
	return true, nil
}

// restoreName puts the plugin's name in place of this program's in client-go's error.
func (g *gate) restoreName(err error) error {
	if self, selfErr := os.Executable(); err != nil && selfErr == nil && strings.HasPrefix(err.Error(), gettingCredentials) {
		return errors.New(strings.ReplaceAll(err.Error(), "executable "+self, "executable "+g.command))
	}
	return err
}

// pluginStderr is the standard error that client-go gives to credential plugins. There is one for the process, because client-go keeps a plugin that
// it has seen, with its standard error, until the process ends.
var pluginStderr struct {
	mu   sync.Mutex
	pipe *os.File // the writing end; nil before LogPlugins
	log  *slog.Logger
}

// LogPlugins logs each line that credential plugins write to standard error. The log must remove credentials.
func LogPlugins(log *slog.Logger) error {
	pluginStderr.mu.Lock()
	defer pluginStderr.mu.Unlock()
	pluginStderr.log = log
	if pluginStderr.pipe != nil {
		return nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe for credential plugins: %w", err)
	}
	pluginStderr.pipe = to
	go eachLine(from, time.Now, func(line string) {
		pluginStderr.mu.Lock()
		log := pluginStderr.log
		pluginStderr.mu.Unlock()
		log.Warn("a credential plugin writes", "line", line)
	})
	return nil
}

// withPluginStderr runs call while os.Stderr is the plugins' pipe: client-go reads os.Stderr when it makes a transport.
func withPluginStderr(call func() error) error {
	pluginStderr.mu.Lock()
	defer pluginStderr.mu.Unlock()
	if pluginStderr.pipe != nil {
		own := os.Stderr
		os.Stderr = pluginStderr.pipe
		defer func() { os.Stderr = own }()
	}
	return call()
}

// eachLine runs call for each line until the end. It leaves out a line that is too long, because the scrubber cannot find a credential in parts, and
// the lines beyond maxPluginLines in a minute.
func eachLine(from io.Reader, now func() time.Time, call func(line string)) {
	in := bufio.NewReaderSize(from, maxPluginLine)
	var minute time.Time
	lines := 0
	for {
		line, err := in.ReadSlice('\n')
		text := strings.TrimSpace(string(line))
		for err == bufio.ErrBufferFull {
			text = fmt.Sprintf("(a line of more than %d KiB is left out)", maxPluginLine>>10)
			_, err = in.ReadSlice('\n')
		}
		if now().Sub(minute) >= time.Minute {
			minute, lines = now(), 0
		}
		if text != "" {
			lines++
		}
		switch {
		case text == "" || lines > maxPluginLines:
		case lines == maxPluginLines:
			call("(more lines of this minute are left out)")
		default:
			call(text)
		}
		if err != nil {
			return
		}
	}
}
