// Package webdriver drives Firefox and WebKitGTK for the end-to-end tests, each by its own protocol of the W3C. Firefox, or Firefox ESR, runs without
// a window and serves WebDriver BiDi on a WebSocket. WebKitGTK's MiniBrowser runs on a virtual display, and its driver serves WebDriver by HTTP.
//
// WebDriver reports nothing that goes wrong in a page. So WebKitGTK reaches the page through a proxy that puts a script before the page's own, in
// the document and in its workers. The script keeps exceptions, console errors and refused policies. The page's address, its headers and the rest
// of its files stay as they are.
package webdriver
