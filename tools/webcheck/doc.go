// Command webcheck checks the types of the page's JavaScript with the TypeScript compiler, which reads the types in its comments.
//
//	go run ./tools/webcheck [-install]
//
// Run in the module's root, it prints what the compiler finds in web/, for which tsconfig.json says how strict it is. The compiler is
// the one of package-lock.json, which npm installs here when it is not there in that version; -install does just that. Nothing of it
// is needed to build or to run the page.
//
// Files in unclean.txt have findings that are known. The list may only shrink: it is an error when a file in it is clean or gone, and
// a finding in any other file is one.
package main
