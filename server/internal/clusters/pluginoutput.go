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

// client-go keeps all that a credential plugin prints, and lets it write to this process's standard error. So what client-go runs is this program
// once more, which runs the plugin and passes on no more than a credential may have (runPlugin), and its standard error is a pipe whose lines are
// logged (LogPlugins).

const (
	// pluginArgument is the first argument of this program where it runs a credential plugin.
	pluginArgument = "run-credential-plugin"
	// maxCredential bounds what a plugin may print, in bytes: a token, or a certificate with its key.
	maxCredential = 1 << 20
	// pluginWaitDelay is how long what a plugin started may hold its output open when it has ended.
	pluginWaitDelay = time.Second
	// maxPluginLine bounds a line that is logged, in bytes as it came, and maxPluginLines how many there are in a minute.
	maxPluginLine  = 16 << 10
	maxPluginLines = 100
)

// init is where this program becomes the runner of a plugin. It is no function that main calls, so that the programs of tests do so too.
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
		fmt.Fprintf(os.Stderr, "%s printed more than %d KiB, which is no credential, and was ended\n", command[0], maxCredential>>10)
		return 1
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// credentialWriter passes to standard output what a credential may have, and ends the plugin when there is more.
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

// bound has this program run the plugin of a kubeconfig. It returns false where the plugin is not found, which client-go has words for.
func bound(plugin *clientcmdapi.ExecConfig) (bool, error) {
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

// named is an error with the plugin's name in place of this program's.
func (g *gate) named(err error) error {
	if self, selfErr := os.Executable(); err != nil && selfErr == nil && strings.HasPrefix(err.Error(), gettingCredentials) {
		return errors.New(strings.ReplaceAll(err.Error(), "executable "+self, "executable "+g.command))
	}
	return err
}

// pluginStderr is what client-go gives to credential plugins as standard error. There is one, for client-go keeps a plugin that it knows, with its
// standard error, for as long as the process runs.
var pluginStderr struct {
	mu   sync.Mutex
	pipe *os.File // its writing end; nil until LogPlugins
	log  *slog.Logger
}

// LogPlugins has what credential plugins write to standard error logged line by line: to log, which has to be free of credentials.
func LogPlugins(log *slog.Logger) error {
	pluginStderr.mu.Lock()
	defer pluginStderr.mu.Unlock()
	pluginStderr.log = log
	if pluginStderr.pipe != nil {
		return nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("no pipe for credential plugins: %w", err)
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

// withPluginStderr calls do while os.Stderr is the plugins': client-go takes it from there when it makes a transport, and from nowhere else.
func withPluginStderr(do func() error) error {
	pluginStderr.mu.Lock()
	defer pluginStderr.mu.Unlock()
	if pluginStderr.pipe != nil {
		own := os.Stderr
		os.Stderr = pluginStderr.pipe
		defer func() { os.Stderr = own }()
	}
	return do()
}

// eachLine calls do for each line that is read, until the end. A line that is too long is left out whole, for half a credential could not be found
// in a part of it; so are the lines of a minute that has too many.
func eachLine(from io.Reader, now func() time.Time, do func(line string)) {
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
			do("(more lines of this minute are left out)")
		default:
			do(text)
		}
		if err != nil {
			return
		}
	}
}
