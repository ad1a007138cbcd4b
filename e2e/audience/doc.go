// Package audience plays a broadcast before an audience, over real HTTP. A Speaker runs an informer on a simulated cluster and broadcasts its
// log through a server's relay, as its page does. A Crowd follows it by the audience's link, each follower with requests of its own. The
// test compares what all of them have at the end with what the speaker had.
package audience
