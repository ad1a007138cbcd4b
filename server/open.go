package main

import (
	"log/slog"
	"os/exec"
	"runtime"
)

// openBrowser asks the desktop to show the page, and returns what waits for the asking program. It is a convenience: if
// there is no browser, the address stands on standard output all the same.
func openBrowser(address string, log *slog.Logger) (wait func()) {
	var command *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		command = exec.Command("open", address)
	case "windows":
		command = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		command = exec.Command("xdg-open", address)
	}
	if err := command.Start(); err != nil {
		log.Warn("no browser could be opened; open the printed address by hand", "error", err)
		return func() {}
	}
	return func() {
		if err := command.Wait(); err != nil {
			log.Warn("the browser did not open; open the printed address by hand", "program", command.Path, "error", err)
		}
	}
}
