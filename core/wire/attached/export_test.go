package attached

// What the tests wait for.
const (
	TurnBytes        = turnBytes
	BaselinePatience = baselinePatience
	LastRedial       = lastRedial
)
