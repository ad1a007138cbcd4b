// Package w3c holds what WebDriver and WebDriver BiDi, two protocols of the W3C
// for driving a browser, have in common.
package w3c

import (
	"errors"
	"unicode/utf8"
)

// keys are the code points by which both protocols name keys that are no
// characters, under the names of KeyboardEvent.key.
var keys = map[string]string{
	"Backspace": "\uE003", "Tab": "\uE004", "Enter": "\uE007", "Escape": "\uE00C", "Space": " ", "PageUp": "\uE00E", "PageDown": "\uE00F",
	"End": "\uE010", "Home": "\uE011", "Delete": "\uE017",
	"ArrowLeft": "\uE012", "ArrowUp": "\uE013", "ArrowRight": "\uE014", "ArrowDown": "\uE015",
}

// Press is the "actions" that press and release a key, given as
// KeyboardEvent.key names it ("Space" for the space bar).
func Press(key string) ([]any, error) {
	value, ok := keys[key]
	if !ok {
		if utf8.RuneCountInString(key) != 1 {
			return nil, errors.New("no key is named " + key)
		}
		value = key
	}
	return []any{map[string]any{"type": "key", "id": "keyboard", "actions": []any{
		map[string]any{"type": "keyDown", "value": value},
		map[string]any{"type": "keyUp", "value": value},
	}}}, nil
}
