#!/bin/sh
# Builds bin/informerscope-sim, or the file $OUT (an absolute path) with the flags of go build that are given, and says how far it is: Kubernetes is 2,700
# packages, which takes ten minutes on two processors the first time. bin/informerscope-sim is built with the same flags each time, so that each package is
# compiled once.
set -eu
cd "$(dirname "$0")"
go=${GO:-go}
kubernetes=$("$go" list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${kubernetes#v1.}
minor=${minor%%.*}
version=k8s.io/component-base/version
flags="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=$minor -X $version.gitTreeState=clean"
"$go" mod download
total=$("$go" list -deps . | wc -l)
echo "informerscope-sim: Kubernetes $kubernetes is built in up to $((total)) packages; the first time takes about ten minutes on two processors" >&2
began=$(date +%s)
mkdir -p ../bin
# go build names each package that it compiles on standard error. What is not such a name is an error, and is shown.
{
	"$go" build -v "$@" -ldflags "$flags" -o "${OUT:-../bin/informerscope-sim}" . 2>&1 >&3 || echo "informerscope-sim: go build failed"
} 3>&1 | awk -v total="$total" -v began="$began" '
	/^[A-Za-z0-9_.\/-]+$/ { n++; if (n % 100 == 0) { printf "informerscope-sim: %d packages compiled\n", n; fflush() } next }
	{ print; failed = 1 }
	END { exit failed }' >&2
echo "informerscope-sim: built in $(($(date +%s) - began)) seconds" >&2
