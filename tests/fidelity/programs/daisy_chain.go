// A chain of twenty goroutines, each adding one to what comes from its right.
package main

func program() {
	leftmost := make(chan int)
	left := leftmost
	for i := range 20 {
		right := make(chan int)
		from, to := right, left
		go func() {
			say("%d waits", i)
			v := <-from
			say("%d passes on %d", i, v+1)
			to <- v + 1
			say("%d ends", i)
		}()
		left = right
	}
	last := left
	go func() {
		say("the right end sends")
		last <- 0
		say("the right end has sent")
	}()
	say("main waits")
	say("main got %d", <-leftmost)
}
