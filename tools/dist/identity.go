package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// identity is what tells one release's sources from another's.
type identity struct {
	version string    // as krew and Go write it: v1.2.3, or v1.2.3-something before it
	commit  string    // empty outside git
	time    time.Time // of every file in the archives
}

// versions are the semantic versions that an archive can have. Build metadata ("+…") is left out: it stands badly in file
// names and addresses.
var versions = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// oldestTime is the time of files whose sources know none: the first one that a zip archive can hold.
var oldestTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// identify asks git about the sources in the directory root. A version that is given counts more than git's, and so does
// epoch, which is SOURCE_DATE_EPOCH (reproducible-builds.org). Without git a version has to be given.
func identify(ctx context.Context, root, version, epoch string) (identity, error) {
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	id := identity{version: version, time: oldestTime}
	described, err := git("describe", "--tags", "--always", "--dirty", "--abbrev=12", "--match", "v[0-9]*")
	if err == nil {
		if !versions.MatchString(described) {
			described = "v0.0.0-g" + described // no tag yet, and so a commit's name; the letter keeps it from being a number
		}
		id.version = cmp.Or(version, described)
		if id.commit, err = git("rev-parse", "HEAD"); err != nil {
			return id, fmt.Errorf("git rev-parse: %w", err)
		}
		epoch0, err := git("log", "-1", "--format=%ct")
		if err != nil {
			return id, fmt.Errorf("git log: %w", err)
		}
		epoch = cmp.Or(epoch, epoch0)
	} else if version == "" {
		return id, fmt.Errorf("git says no version here (%w); give one, as VERSION=v1.2.3", err)
	}
	if !versions.MatchString(id.version) {
		return id, fmt.Errorf("%q is not a version; write for example v1.2.3 or v1.2.3-rc.1", id.version)
	}
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return id, fmt.Errorf("SOURCE_DATE_EPOCH: %q is not a number of seconds", epoch)
		}
		if t := time.Unix(seconds, 0).UTC(); t.After(oldestTime) {
			id.time = t
		}
	}
	return id, nil
}
