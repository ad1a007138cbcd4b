// Command pictures makes the pictures of docs/img from the page, each at an exact moment of its time. With -check it makes them again and
// compares: a picture of a page that no longer looks like that is an error.
package main
