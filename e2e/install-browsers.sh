#!/bin/sh
# Makes sure that there are the browsers of the end-to-end tests. Chromium they cannot do without: see
# install-chromium.sh. Firefox, and WebKitGTK with its driver and a virtual display, are installed with apt-get where it
# may be used, and so is nginx, a cache through which an audience is followed; elsewhere they are left out, which is said
# here and by the tests that skip. Where CI=true and root has apt-get nobody would look, so there one that is left out is
# a failure. The names are those that the package e2e/browser/webdriver looks for.
set -eu

"$(dirname "$0")/install-chromium.sh"

# given VARIABLE: whether the environment names a program; it must be one then.
given() {
	eval "program=\${$1:-}"
	[ -n "$program" ] || return 1
	command -v "$program" >/dev/null 2>&1 && return 0
	echo "install-browsers: $1=$program is no program that can be run" >&2
	exit 1
}

has_firefox() {
	given INFORMERSCOPE_FIREFOX && return 0
	[ -x /Applications/Firefox.app/Contents/MacOS/firefox ] && return 0
	command -v firefox-esr >/dev/null 2>&1 && return 0
	# Ubuntu's package firefox is a script that starts a snap, which cannot see a profile in the temporary directory.
	path=$(command -v firefox 2>/dev/null) || return 1
	case $(readlink -f "$path") in /snap/* | */snap) return 1 ;; esac
	! head -c 4096 "$path" | grep -aq /snap/
}

has_minibrowser() {
	given INFORMERSCOPE_WEBKIT_BROWSER && return 0
	command -v MiniBrowser >/dev/null 2>&1 && return 0
	for path in /usr/lib/*/webkit2gtk-4.1/MiniBrowser /usr/lib*/webkit2gtk-4.1/MiniBrowser /usr/libexec/webkit2gtk-4.1/MiniBrowser; do
		[ -x "$path" ] && return 0
	done
	return 1
}

has_webkit() {
	given INFORMERSCOPE_WEBKIT_DRIVER || command -v WebKitWebDriver >/dev/null 2>&1 || return 1
	has_minibrowser && command -v Xvfb >/dev/null 2>&1
}

# Where an audience is followed through a cache: nginx, which Debian puts where only root's PATH leads.
has_nginx() {
	given INFORMERSCOPE_NGINX && return 0
	command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ]
}

# The font that the page's narrowest frames are measured with. Where packages come another way, the system has one of its own.
has_font() {
	command -v apt-get >/dev/null 2>&1 || return 0
	[ -e /usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf ]
}

# get PACKAGE...: installs them when it may; says why not otherwise.
updated=""
get() {
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "install-browsers: no apt-get here" >&2
		return 1
	fi
	if [ "$(id -u)" = 0 ]; then
		as_root=""
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as_root="sudo -n"
	else
		echo "install-browsers: not root, and sudo asks for a password" >&2
		return 1
	fi
	if [ -z "$updated" ]; then
		$as_root apt-get update -q >&2 || return 1
		updated=yes
	fi
	# RUNLEVEL=1: no package starts a service of its own.
	$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -q --no-install-recommends "$@" >&2
}

left=""
# want NAME HOW PACKAGE...: has_NAME tells whether it is there.
want() {
	name=$1 how=$2
	shift 2
	"has_$name" && return 0
	echo "install-browsers: no $name found, installing it" >&2
	get "$@" && "has_$name" && return 0
	echo "install-browsers: $name is left out of the tests. $how" >&2
	left="$left $name"
}

want firefox "Install Firefox or Firefox ESR and put it on PATH, or set INFORMERSCOPE_FIREFOX to its program." firefox-esr
want webkit "Install Xvfb, and WebKitGTK 4.1 with its MiniBrowser and WebKitWebDriver, which INFORMERSCOPE_WEBKIT_BROWSER and
INFORMERSCOPE_WEBKIT_DRIVER may name; in Debian they are webkit2gtk-driver, libwebkit2gtk-4.1-0 and xvfb." \
	webkit2gtk-driver libwebkit2gtk-4.1-0 xvfb
want font "Install the package fonts-liberation." fonts-liberation
want nginx "Install nginx, which INFORMERSCOPE_NGINX may name; in Debian it is nginx-light." nginx-light

if [ -n "$left" ] && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "install-browsers: in CI, as root, with apt-get, none may be left out:$left" >&2
	exit 1
fi
