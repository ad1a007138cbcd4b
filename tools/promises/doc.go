// Package promises holds what the documentation promises to the tests that prove it. A promise is a row of a Markdown table whose last
// column is headed "test". That cell names the tests, each in backticks. After them, in round brackets, stands the file or the directory
// that has them:
//
//	| promise | test |
//	|-|-|
//	| A request without the token is refused. | `TestToken` (server/internal/guard), `TestDoor`, `TestServe` (server/run_test.go) |
//
// `TestDoor/no_token` names a subtest. Its name must stand, with spaces for underscores, in the file or directory that is named, whichever
// file of the package has the test.
//
// A section of the second level called "Promises" may hold only such tables, the headings over them, and an introduction before the first
// heading. So nothing is promised there without a test. The package's test reads every document of the project.
package promises
