package main

import (
	"fmt"
	"html"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// openBrowser opens the page at link in the desktop's browser. The link contains the token, and every user of the machine can read a program's
// arguments. So the browser gets a file that redirects to link and that only this user can read. remove deletes the file. Failures are only logged:
// the address is also on standard output.
func openBrowser(link string, log *slog.Logger) (remove func()) {
	path, remove, err := writeRedirect(link)
	if err != nil {
		log.Warn("the browser is not opened, because the file that redirects it cannot be written; open the printed address by hand", "error", err)
		return func() {}
	}
	var command *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		command = exec.Command("open", path)
	case "windows":
		command = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	default:
		command = exec.Command("xdg-open", path)
	}
	if err := command.Start(); err != nil {
		log.Warn("the browser cannot be started; open the printed address by hand", "error", err)
		return remove
	}
	go func() { // the browser may outlive the server
		if err := command.Wait(); err != nil {
			log.Warn("the browser did not open; open the printed address by hand", "program", command.Path, "error", err)
		}
	}()
	return remove
}

// writeRedirect writes a page that redirects to link and that only this user can read, as Jupyter does.
func writeRedirect(link string) (path string, remove func(), err error) {
	directory, err := os.MkdirTemp("", "informerscope-open-") // with mode 0700
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(directory) }
	path = filepath.Join(directory, "open.html")
	link = html.EscapeString(link)
	page := fmt.Sprintf(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>informerscope</title><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=%s"></head>
<body><p><a href="%s" rel="noreferrer">Open informerscope</a>, if your browser does not do so by itself.</p></body></html>
`, link, link)
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		remove()
		return "", nil, err
	}
	return path, remove, nil
}
