// Package camera takes pictures of the page at exact moments of its time. The clock of the page and of its worker stands still until the
// caller moves it. Chance has a fixed seed, and the fonts are those of fonts.conf. So the same steps give the same picture each time.
package camera
