#!/bin/sh
# Makes sure that pictures and films of the page can be made: a Chromium, ffmpeg, and the fonts of all pictures (e2e/camera/fonts.conf).
# What is missing is installed with apt-get where that may be; else this says what to do.
set -eu

"$(dirname "$0")/install-chromium.sh"

missing=""
command -v ffmpeg >/dev/null 2>&1 || missing="$missing ffmpeg"
[ -e /usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf ] || missing="$missing fonts-liberation"
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing="$missing fonts-dejavu-core"
[ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc ] || missing="$missing fonts-noto-cjk"
[ -n "$missing" ] || exit 0

give_up() {
	echo "install-pictures: $1" >&2
	echo "Install these packages of Debian or Ubuntu yourself:$missing" >&2
	exit 1
}

echo "install-pictures: installing$missing" >&2
command -v apt-get >/dev/null 2>&1 || give_up "there is no apt-get here, and the pictures have the fonts of Debian's packages"
if [ "$(id -u)" = 0 ]; then
	as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	give_up "not root, and sudo asks for a password"
fi
$as_root apt-get update -q || give_up "apt-get update failed"
# shellcheck disable=SC2086 # the names are words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing || give_up "apt-get could not install them"
