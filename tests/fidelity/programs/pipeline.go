// Three stages over unbuffered channels, every event: numbers, their squares, their sums.
package main

func program() {
	numbers, squares, sums := make(chan int), make(chan int), make(chan int)
	go func() {
		for i := range 8 {
			say("number %d", i)
			numbers <- i
			say("number %d is gone", i)
		}
		close(numbers)
		say("numbers end")
	}()
	go func() {
		for v := range numbers {
			say("square of %d", v)
			squares <- v * v
			say("square of %d is gone", v)
		}
		close(squares)
		say("squares end")
	}()
	go func() {
		sum := 0
		for v := range squares {
			sum += v
			say("sum %d", sum)
			sums <- sum
			say("sum %d is gone", sum)
		}
		close(sums)
		say("sums end")
	}()
	for v := range sums {
		say("main got %d", v)
	}
	say("main ends")
}
