package web

// Policy is the Content-Security-Policy under which the page runs, wherever it is served from: its own files and nothing
// else; a still of the page is made of a data: image. The server sends it as a header; a folder of files has it in its HTML.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"
