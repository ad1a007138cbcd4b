// Package audience is a broadcast, as its two pages see it. A Speaker sends the log and the position of its page to the relay, in the segments of
// core/wire/broadcast. A Following fetches them, holds the same log, and moves its view to the speaker's position until the user explores alone.
package audience
