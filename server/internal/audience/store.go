package audience

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"informerscope/core/broadcast"
	"informerscope/server/internal/owner"
)

// record is what is known beside the segments; in a directory it is the file talk.json.
type record struct {
	Token string `json:"token"`
	// ID is the speaker's, of the present talk; empty before the first.
	ID string `json:"id"`
	// First is the number of the talk's first segment, Segments that of the newest one.
	First     uint64    `json:"first"`
	Segments  uint64    `json:"segments"`
	Ended     bool      `json:"ended"`
	StartedAt time.Time `json:"startedAt"`
	// Sent is the sum of the newest segment as the speaker sent it, so that a repetition is known.
	Sent string `json:"sent"`
	// Last is the newest segment's first line.
	Last broadcast.Head `json:"last"`
	// Checkpoints are the numbers of the talk's segments that begin with one.
	Checkpoints []uint64 `json:"checkpoints"`
	// Bytes is how much all segments take.
	Bytes int64 `json:"bytes"`
}

// store keeps segments: the newest in memory, all of them in a directory if there is one.
type store struct {
	dir    string
	limit  int64
	kept   map[uint64][]byte
	oldest uint64 // in memory
	bytes  int64  // in memory
}

const (
	recordFile = "talk.json"
	// maxRecord bounds what is read of it: a number for each checkpoint.
	maxRecord = 16 << 20
)

func segmentFile(n uint64) string { return fmt.Sprintf("segment-%010d.gz", n) }

// openStore opens a directory, which is made when it is not there; "" is none.
func openStore(dir string, limit int64) (*store, record, error) {
	s := &store{dir: dir, limit: limit, kept: map[uint64][]byte{}, oldest: 1}
	var r record
	if dir == "" {
		return s, r, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, r, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, r, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, r, fmt.Errorf("%s can be read by others, and holds the audience's token: run chmod 700 %s, or name another directory", dir, dir)
	}
	if owner.IsAnother(info) {
		return nil, r, fmt.Errorf("%s belongs to another user, who can read what is in it: run chown on it, or name another directory", dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, r, nil
	}
	if err != nil {
		return nil, r, err
	}
	if len(text) > maxRecord || json.Unmarshal(text, &r) != nil || r.Token == "" || r.First > r.Segments+1 {
		return nil, r, fmt.Errorf("%s is damaged: move it away, or name another directory", filepath.Join(dir, recordFile))
	}
	s.oldest = r.Segments + 1
	return s, r, nil
}

// put keeps a segment.
func (s *store) put(n uint64, packed []byte) error {
	if s.dir != "" {
		if err := writeFile(s.dir, segmentFile(n), packed); err != nil {
			return err
		}
	}
	if len(s.kept) == 0 {
		s.oldest = n
	}
	s.kept[n] = packed
	s.bytes += int64(len(packed))
	return nil
}

// trim forgets the oldest in memory beyond the limit, but none from keep on. It says which are still there.
func (s *store) trim(keep uint64) (oldest uint64) {
	for s.bytes > s.limit && s.oldest < keep {
		s.bytes -= int64(len(s.kept[s.oldest]))
		delete(s.kept, s.oldest)
		s.oldest++
	}
	return s.oldest
}

// read gives a segment that is not in memory.
func (s *store) read(n uint64) ([]byte, error) {
	if s.dir == "" {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(filepath.Join(s.dir, segmentFile(n)))
}

// save keeps the record.
func (s *store) save(r *record) error {
	if s.dir == "" {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeFile(s.dir, recordFile, text)
}

// writeFile replaces a file whole, readable by its owner alone.
func writeFile(dir, name string, data []byte) error {
	f, err := os.CreateTemp(dir, "."+name+".*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
