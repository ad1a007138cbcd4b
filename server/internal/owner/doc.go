// Package owner says to whom a file or a folder of secrets belongs.
package owner
