// Package analysis reads a log for the inspector and the timeline: an object's journey and ride, marks and density, and the worst minute.
package analysis
