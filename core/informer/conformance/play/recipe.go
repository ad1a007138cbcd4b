package play

import "time"

// Recipe describes a script that Generate made, or what shrinking left of it, in a form that can be sent to another program.
type Recipe struct {
	Seed           int64
	Early, Ops     []int // the numbers of the generated steps that are left
	Resync         time.Duration
	Shape          string
	Objects        int
	Burst, OptOut  bool
	Bare           bool
	Silent, Settle bool
}

// Recipe returns the recipe of the script.
func (s *Script) Recipe() Recipe {
	r := Recipe{Seed: s.seed, Resync: s.resync, Shape: s.shape, Objects: s.objects, Burst: s.burst, OptOut: s.optOut, Bare: s.bare, Silent: s.silent,
		Settle: s.settle}
	for _, o := range s.early {
		r.Early = append(r.Early, o.number)
	}
	for _, o := range s.ops {
		r.Ops = append(r.Ops, o.number)
	}
	return r
}

// Script makes the script of the recipe.
func (r Recipe) Script(release Release) *Script {
	s := Generate(r.Seed, release)
	pick := func(all []op, numbers []int) (out []op) {
		for _, n := range numbers {
			out = append(out, all[n])
		}
		return out
	}
	s.early, s.ops = pick(s.early, r.Early), pick(s.ops, r.Ops)
	s.resync, s.shape, s.objects, s.burst, s.optOut, s.bare, s.silent, s.settle = r.Resync, r.Shape, r.Objects, r.Burst, r.OptOut, r.Bare, r.Silent, r.Settle
	return s
}

// number numbers the steps of a generated script.
func (s *Script) number() {
	for i := range s.early {
		s.early[i].number = i
	}
	for i := range s.ops {
		s.ops[i].number = i
	}
}

// AnswerPrefix is the prefix of the lines with which a program answers recipes.
const AnswerPrefix = "ANSWER "
