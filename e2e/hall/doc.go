// Package hall plays a talk before an audience, over real HTTP: a Speaker runs an informer on a simulated cluster and
// broadcasts its log through a server's relay, as its page does, and a Crowd follows it by the audience's link, each follower
// with requests of its own. What all of them have at the end is compared with what the speaker had.
package hall
