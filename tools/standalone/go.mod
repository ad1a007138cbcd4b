module informerscope/tools/standalone

go 1.26.0

require (
	github.com/andybalholm/brotli v1.3.0
	github.com/evanw/esbuild v0.28.2
	golang.org/x/net v0.62.0
)

require golang.org/x/sys v0.49.0 // indirect
