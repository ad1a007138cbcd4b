package camera

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
)

// Film is an ffmpeg that is given one picture after the other.
type Film struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	bad bytes.Buffer
}

// Roll starts ffmpeg, which writes so many pictures a second to a file, as its arguments how say.
func Roll(ctx context.Context, file string, rate int, how ...string) (*Film, error) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return nil, errors.New("no ffmpeg found: run e2e/install-pictures.sh, or put one on PATH")
	}
	args := []string{"-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe", "-framerate", strconv.Itoa(rate), "-c:v", "png", "-i", "-"}
	f := &Film{cmd: exec.CommandContext(ctx, "ffmpeg", append(append(args, how...), file)...)}
	f.cmd.Stderr = &f.bad
	var err error
	if f.in, err = f.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return f, f.cmd.Start()
}

// Add adds a PNG.
func (f *Film) Add(picture []byte) error {
	_, err := f.in.Write(picture)
	if err != nil {
		err = errors.Join(err, f.End())
	}
	return err
}

// End returns when ffmpeg has written the file.
func (f *Film) End() error {
	f.in.Close()
	if err := f.cmd.Wait(); err != nil {
		return fmt.Errorf("ffmpeg: %w: %s", err, f.bad.String())
	}
	return nil
}
