package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
)

// links are the addresses at which people open the page.
type links struct {
	ownLink     string   // for this launch's browser, with the token
	firstLink   string   // the first line on standard output
	remoteLinks []string // for people at other machines
	warning     string   // a warning about the printed links for the log, "" for none
	bases       []string // scheme and host of each printed link
}

// newLinks makes the links of a server. The first of hosts is the one to open on this machine, and others are for other machines. If standard output
// is not a terminal, it is probably stored somewhere; a token that came from a file is then left out of the printed links.
func newLinks(s settings, scheme string, hosts, others []string, stdout io.Writer) links {
	base := scheme + "://" + hosts[0]
	if s.publicURL {
		base, others = s.publicNames[0].String(), nil
	}
	whole := "/#token=" + s.token + s.sceneKeys
	l := links{ownLink: base + whole}
	if !isTerminal(stdout) {
		if s.tokenFile != "" {
			whole = "/"
			if s.sceneKeys != "" {
				whole += "#" + strings.TrimPrefix(s.sceneKeys, "&")
			}
			l.warning = "standard output is not a terminal, so the printed link is without the token; it is the content of " + s.tokenFile + ", behind #token="
		} else {
			l.warning = "standard output is not a terminal: the token in the printed link is also in whatever keeps that output; with --token-file the link is " +
				"printed without it"
		}
	}
	l.firstLink = base + whole
	l.bases = []string{base}
	for _, host := range others {
		l.bases = append(l.bases, scheme+"://"+host)
		l.remoteLinks = append(l.remoteLinks, scheme+"://"+host+whole)
	}
	return l
}

// warn logs how others may read the token of the launch.
func (l links) warn(s settings, log *slog.Logger) {
	if l.warning != "" {
		log.Warn(l.warning)
	}
	if s.tokenArgument {
		log.Warn("the token is on the command line, where every user of this machine can read it; --token-file keeps it out of there")
	}
}

// lines is what the server prints once it serves at address. Other programs read the first line.
func (l links) lines(address *net.TCPAddr) string {
	lines := fmt.Sprintf("informerscope: open %s\n", l.firstLink)
	for _, other := range l.remoteLinks {
		lines += fmt.Sprintf("informerscope: from other machines open %s\n", other)
	}
	if !address.IP.IsLoopback() {
		lines += fmt.Sprintf("informerscope: listening on %s, by %s\n", address, protocolNames(address))
	}
	return lines
}

// isTerminal reports whether w is a character device, such as a terminal, whose output is not stored.
func isTerminal(w io.Writer) bool {
	if t, ok := w.(terminal); ok {
		w = t.out
	}
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
