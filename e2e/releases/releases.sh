#!/bin/bash
# Plays the table and the random schedules of core/informer/conformance to each
# version of client-go that a release is named after, but for v0.37.2, and compares what they
# answer with what is recorded in core/informer/conformance/testdata.
# RELEASES_UPDATE=1 records it. RELEASES_SEEDS random schedules that are not
# recorded are then played to core/informer and to every release as it runs,
# from seed RELEASES_FROM on. T is tools/testrun, which counts tests; without it
# they run all the same.
set -eu -o pipefail
cd "$(dirname "$0")"
GO=${GO:-go}
recorded=$PWD/../../core/informer/conformance/testdata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
counted() { # NAME COMMAND...
  local name=$1
  shift
  if [ -n "${T:-}" ]; then "$T" go "$name" -show 'compared with client-go' -- "$@"; else "$@"; fi
}
different=0
toolchain=$($GO env GOTOOLCHAIN)
for release in v031:v0.31.14 v033:v0.33.13 v035:v0.35.10 v038:v0.38.0-beta.0; do
  name=${release%%:*} version=${release##*:}
  # A release that needs a newer Go than this one gets it.
  wants=$(sed -n 's/^go //p' "$name.mod") have=$($GO env GOVERSION)
  if [ "$(printf '%s\n' "${have#go}" "$wants" | sort -V | tail -n 1)" != "${have#go}" ]; then export GOTOOLCHAIN=go$wants; fi
  $GO vet -modfile="$name.mod" -tags="$name" .
  mkdir -p "$work/$version"
  counted "client-go $version" $GO test -modfile="$name.mod" -tags="$name" -count=1 -timeout=30m . -args -out "$work/$version"
  $GO list -m -modfile="$name.mod" -f '{{.Path}} {{if .Replace}}{{.Replace.Version}}{{else}}{{.Version}}{{end}}' \
    k8s.io/client-go k8s.io/apimachinery k8s.io/utils k8s.io/klog/v2 >"$work/$version/modules.txt"
  if [ "$(grep -c " $version\$" "$work/$version/modules.txt")" != 2 ]; then
    echo "$name.mod does not stand for client-go $version with its apimachinery:"
    cat "$work/$version/modules.txt"
    exit 1
  fi
  rows=$(grep -c '^row ' "$work/$version/rows.txt")
  echo "client-go $version answered $rows rows, $(wc -l <"$work/$version/schedules.txt") random schedules," \
    "$(wc -l <"$work/$version/queues.txt") queues, $(wc -l <"$work/$version/stores.txt") stores and $(wc -l <"$work/$version/reads.txt") readings"
  export GOTOOLCHAIN=$toolchain
  if [ -n "${RELEASES_UPDATE:-}" ]; then
    rm -rf "${recorded:?}/$version"
    mkdir -p "$recorded"
    cp -r "$work/$version" "$recorded/$version"
  elif ! diff -r "$recorded/$version" "$work/$version"; then
    different=1
  fi
done
if [ $different != 0 ]; then
  echo "the releases answer otherwise than recorded: make releases RELEASES_UPDATE=1 records it"
  exit 1
fi
cd ../..
counted "random schedules, all releases" $GO test ./core/informer/conformance -run '^TestRandomSchedules$' -count=1 -timeout=0 -args -conformance.live \
  -conformance.seeds="${RELEASES_SEEDS:-20000}" -conformance.from="${RELEASES_FROM:-100001}"
