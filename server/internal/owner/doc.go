// Package owner reports which user owns a file or a directory of secrets.
package owner
