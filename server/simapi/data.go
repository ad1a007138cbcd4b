package simapi

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"informerscope/core/simcluster"
)

// savePeriod is the time between two saves of a cluster that changes.
const savePeriod = 15 * time.Second

// openCluster returns the cluster that was saved in the file, or a new one if there is no such file. If the file is torn, the save before it is used, and
// warning says so.
func openCluster(file string, o simcluster.Options) (c *simcluster.Cluster, warning string, err error) {
	if file == "" {
		return simcluster.New(o), "", nil
	}
	c, err = readCluster(file, o)
	if err == nil {
		return c, "", nil
	}
	before, errBefore := readCluster(olderFile(file), o)
	switch {
	case errBefore == nil && errors.Is(err, fs.ErrNotExist): // the process ended between the two renames of a save
		return before, "", nil
	case errBefore == nil:
		return before, fmt.Sprintf("%s is torn (%v): the cluster goes on from the save before it", file, err), nil
	case errors.Is(err, fs.ErrNotExist) && errors.Is(errBefore, fs.ErrNotExist):
		return simcluster.New(o), "", nil
	}
	return nil, "", fmt.Errorf("reading --data %s: %w; move the file away to begin with a new cluster", file, err)
}

func readCluster(file string, o simcluster.Options) (*simcluster.Cluster, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return simcluster.Restore(o, text)
}

// olderFile is where the save before the newest one is kept.
func olderFile(file string) string { return file + ".old" }

// saveCluster writes the cluster into the file. A reader finds the old or the new state there, or next to it, and never a part of one.
func saveCluster(file string, c *simcluster.Cluster) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // only its owner can read it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	text, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err == nil {
		err = errors.Join(c.Save(text), text.Close(), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(file, olderFile(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(f.Name(), file)
}

// keep saves the cluster again and again while it changes, until ctx is done.
func (s *Server) keep(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(savePeriod)
	defer ticker.Stop()
	saved := uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		version := s.cluster.Stats().ResourceVersion
		if version == saved {
			continue
		}
		if err := saveCluster(s.file, s.cluster); err != nil {
			log.Error("the simulated cluster was not saved", "file", s.file, "err", err)
			continue
		}
		saved = version
	}
}
