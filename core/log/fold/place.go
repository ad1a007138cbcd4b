package fold

// HasController reports whether a controller takes keys from a work queue of a lane.
func (f *Fold) HasController(lane int) bool { return f.work(lane) != nil }

// work returns the work queue of a lane, nil if it has none.
func (f *Fold) work(lane int) *workq {
	if lane < 0 || lane >= len(f.lanes) {
		return nil
	}
	return f.lanes[lane].work
}
