package main

import (
	"fmt"
	"slices"
	"strings"
)

// platform is a system and a processor, by Go's names, which are krew's too.
type platform struct{ os, arch string }

// platforms are those that archives are made for.
var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// exe is what a program's name ends in.
func (p platform) exe() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// suffix is what an archive's name ends in: what the system can open by itself.
func (p platform) suffix() string {
	if p.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// parsePlatforms reads a list separated by commas or spaces. An empty one means all.
func parsePlatforms(list string) ([]platform, error) {
	var out []platform
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is no platform that archives are made for; they are %v", name, platforms)
		}
		if slices.Contains(out, platforms[i]) {
			return nil, fmt.Errorf("%s is named twice", name)
		}
		out = append(out, platforms[i])
	}
	if out == nil {
		return platforms, nil
	}
	return out, nil
}
