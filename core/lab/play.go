package lab

import (
	"informerscope/core/cluster/levers"
	"informerscope/core/lab/action"
	"informerscope/core/words/event"
)

// playsLocked repeat the actions of a link, by verb. An action that failed then fails again, so there is no error to return.
var playsLocked = withLevers(map[string]func(l *Lab, s action.Step){
	"watch": (*Lab).playWatch,
	"halt":  func(l *Lab, _ action.Step) { l.stopExperiment() },

	"fault":   (*Lab).playFault,
	"hold":    func(l *Lab, s action.Step) { _ = l.hold(s.Arg(0), int32(s.Int(1)), s.Int(2)) },
	"release": func(l *Lab, s action.Step) { _ = l.release(s.Arg(0), s.Int(1), int32(s.Int(2)), s.Int(3)) },
	"listen": inExperiment(func(x *experiment, s action.Step) {
		_, _ = x.addListener(s.Int(3), ListenerSpec{Name: s.Arg(0), PaceMillis: s.Float(1), ResyncMillis: s.Float(2)})
	}),
	"unlisten": inExperiment(func(x *experiment, s action.Step) { _ = x.removeListener(s.Int(1), int32(s.Int(0))) }),
	"pace":     inExperiment(func(x *experiment, s action.Step) { _ = x.pace(s.Int(2), int32(s.Int(0)), s.Float(1)) }),
	"panic":    inExperiment(func(x *experiment, s action.Step) { _ = x.panicNext(s.Int(1), int32(s.Int(0))) }),
	"index":    func(l *Lab, s action.Step) { _ = l.addIndexLocked(s.Arg(0), s.Arg(1), s.Int(2)) },
	"writes":   func(l *Lab, s action.Step) { l.writeLocked(s.Arg(0) != "off", s.Arg(1)) },
	"shutdown": inExperiment(func(x *experiment, _ action.Step) { _ = x.shutdown() }),
	"start":    inExperiment(func(x *experiment, s action.Step) { _ = x.start(s.Arg(0), s.Arg(1), s.Arg(2)) }),
	"shard":    inExperiment(func(x *experiment, s action.Step) { _ = x.setShard(s.Arg(0)) }),
	"unshared": inExperiment(func(x *experiment, s action.Step) { _ = x.setUnsharedLocked(s.Int(0), s.Arg(1) != "off") }),
})

// repeatLocked carries out a step of a link.
func (l *Lab) repeatLocked(s action.Step) {
	playsLocked[s.Verb](l, s) // action.Read has checked the verb
	if s.Verb != "watch" && s.Verb != "halt" {
		l.note(s)
	}
}

// note writes into the log what was done.
func (l *Lab) note(s action.Step) { l.emit(0, event.Act{Step: s.String()}.Event()) }

// withLevers adds the verbs of the levers.
func withLevers(plays map[string]func(*Lab, action.Step)) map[string]func(*Lab, action.Step) {
	for _, v := range levers.All() {
		plays[v.Verb()] = func(l *Lab, s action.Step) { _, _ = l.changeLocked(v.Name, v.Read(s.Arg)) }
	}
	return plays
}

// inExperiment plays a step that does nothing if no experiment runs.
func inExperiment(play func(x *experiment, s action.Step)) func(*Lab, action.Step) {
	return func(l *Lab, s action.Step) {
		if l.exp != nil {
			play(l.exp, s)
		}
	}
}

func (l *Lab) playFault(s action.Step) {
	args := FaultArgs{Millis: s.Int(2), Count: s.Int(3)}
	if on := s.Arg(1) == "on"; s.Arg(1) != "" {
		args.On = &on
	}
	if f := FindFault(s.Arg(0)); f != nil {
		_, _ = l.faultLocked(f, args, s.Int(4))
	}
}

// playWatch begins an earlier experiment on the cluster again.
func (l *Lab) playWatch(s action.Step) {
	sel, err := s.Watched().Apply(l.selection)
	if err != nil { // action.Read has checked it
		panic(err)
	}
	l.startLocked(sel)
}

// onOff returns how a switch is written in a link.
func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
