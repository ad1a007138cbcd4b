package view

import "informerscope/core/log/facts"

// selectedObject returns how far the selected object has come, nil for none. Each place is that of the moment that its station shows.
func (x *factInputs) selectedObject() *facts.SelectedObject {
	if x.selectedKey == "" {
		return nil
	}
	return &facts.SelectedObject{Key: x.selectedKey, At: x.placeOf(x.selectedKey)}
}

func (x *factInputs) placeOf(key string) string {
	waits, popped := x.stations[atQueue].InQueue(x.lane, key)
	switch {
	case popped:
		return "popped"
	case waits:
		return "queue"
	case x.stations[atController].HasWork(x.lane, key):
		return "work"
	}
	for i := range x.state.Listeners {
		if busy := x.state.Listeners[i].Handling; busy != nil && busy.Key == key {
			return "handler"
		}
	}
	if _, ok := x.Objects(x.lane).Get(key); ok {
		return "store"
	}
	return ""
}
