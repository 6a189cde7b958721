// The same three stages with buffers of three, one and two, and a consumer that yields.
package main

import "runtime"

func program() {
	numbers, squares, sums := make(chan int, 3), make(chan int, 1), make(chan int, 2)
	go func() {
		for i := range 12 {
			numbers <- i
			say("number %d, %d queued", i, len(numbers))
		}
		close(numbers)
		say("numbers end")
	}()
	go func() {
		for v := range numbers {
			squares <- v * v
			say("square of %d, %d queued", v, len(squares))
		}
		close(squares)
		say("squares end")
	}()
	go func() {
		sum := 0
		for v := range squares {
			sum += v
			sums <- sum
			say("sum %d, %d queued", sum, len(sums))
		}
		close(sums)
		say("sums end")
	}()
	for v := range sums {
		say("main got %d", v)
		if v%2 == 0 {
			runtime.Gosched()
		}
	}
	say("main ends")
}
