#!/usr/bin/env bash
# Says whether every module of this repository is as `go mod tidy` would leave it, and changes nothing. In e2e/releases each other .mod file is a
# module.
#
# go mod tidy looks at the tests of what is imported too, and so at modules that nothing else needs. Where one of them is not in the module cache
# and the network cannot be reached, the last line begins with "left out: ".
export GOWORK=off
untidy=0 unknown=
mkdir -p bin
for file in $(git ls-files -co --exclude-standard '*.mod' ':!e2e/releases/go.mod'); do
  dir=$(dirname "$file") name=$(basename "$file")
  # A module that needs a newer Go than this one gets it. One that says so is tidied although a module is missing.
  wants=$(sed -n 's/^go //p' "$file") have=$("${GO:-go}" env GOVERSION) flags=$(sed -n 's/^\/\/ tidy: \(-e\).*/\1/p' "$file")
  toolchain=${GOTOOLCHAIN:-local}
  [ "$(printf '%s\n' "${have#go}" "$wants" | sort -V | tail -n 1)" = "${have#go}" ] || toolchain=go$wants
  # shellcheck disable=SC2086 # no flags are no word
  diff=$(GOTOOLCHAIN=$toolchain "${GO:-go}" -C "$dir" mod tidy $flags -diff -modfile="$name" 2>bin/tidy.log) && continue
  if [ -z "$diff" ] && grep -qE 'dial tcp|no such host|timeout|proxyconnect|GOPROXY=off|network is unreachable|connection re(fused|set)|503 Service' bin/tidy.log; then
    unknown="$dir needs modules that are not in the module cache, and the network is not there: $(tail -n 1 bin/tidy.log)"
    continue
  fi
  cat bin/tidy.log
  printf '%s\n%s is not tidy: run go mod tidy -modfile=%s there\n' "$diff" "$dir" "$name"
  untidy=1
done
[ -z "$unknown" ] || echo "left out: $unknown"
exit $untidy
