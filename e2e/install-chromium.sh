#!/bin/sh
# Makes sure there is a Chromium for the end-to-end tests and the benchmark.
# Does nothing when one is found; else installs one with the system's package
# manager where it may; else says what to do. The names are those that package
# e2e/browser looks for.
set -eu

found() {
	if [ -n "${INFORMERSCOPE_CHROMIUM:-}" ]; then
		command -v "$INFORMERSCOPE_CHROMIUM" >/dev/null 2>&1 && return 0
		echo "install-chromium: INFORMERSCOPE_CHROMIUM=$INFORMERSCOPE_CHROMIUM is no program that can be run" >&2
		exit 1
	fi
	for name in chromium-headless-shell chrome-headless-shell headless-shell headless_shell \
		chromium chromium-browser google-chrome google-chrome-stable chrome microsoft-edge; do
		command -v "$name" >/dev/null 2>&1 && return 0
	done
	for app in Chromium "Google Chrome" "Microsoft Edge"; do
		[ -x "/Applications/$app.app/Contents/MacOS/$app" ] && return 0
	done
	return 1
}

give_up() {
	echo "install-chromium: $1" >&2
	echo "Install Chromium or Google Chrome yourself and put it on PATH, or set INFORMERSCOPE_CHROMIUM to its program." >&2
	exit 1
}

found && exit 0

echo "install-chromium: no Chromium found, installing one" >&2

if command -v brew >/dev/null 2>&1 && [ "$(uname -s)" = Darwin ]; then
	brew install --cask chromium || give_up "brew could not install it"
	found || give_up "brew installed it where it cannot be found"
	exit 0
fi

if [ "$(id -u)" = 0 ]; then
	as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	give_up "not root, and sudo asks for a password"
fi

if command -v apt-get >/dev/null 2>&1; then
	$as_root apt-get update -q || give_up "apt-get update failed"
	# Debian has the shell without windows, which costs less than half. On Ubuntu the package chromium-browser is a snap; elsewhere it is chromium.
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium-headless-shell fonts-dejavu-core fonts-liberation ||
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core fonts-liberation ||
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q chromium-browser ||
		give_up "apt-get could not install it"
elif command -v dnf >/dev/null 2>&1; then
	$as_root dnf install -y chromium || give_up "dnf could not install it"
elif command -v apk >/dev/null 2>&1; then
	$as_root apk add --no-cache chromium || give_up "apk could not install it"
else
	give_up "no package manager that this script knows (apt-get, dnf, apk, brew)"
fi

found || give_up "the package manager installed something that cannot be found"
