package toolchain

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// WriteOverlay writes what replaces which file as the go command reads it.
func WriteOverlay(dir string, replace map[string]string) (file string, err error) {
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, overlay, 0o644)
}
