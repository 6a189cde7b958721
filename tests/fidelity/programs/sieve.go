// The prime sieve, every event until the fifth prime: a chain of filters that grows as it runs.
package main

func program() {
	numbers := make(chan int)
	go func() {
		for i := 2; ; i++ {
			say("candidate %d", i)
			numbers <- i
		}
	}()
	ch := numbers
	for range 5 {
		prime := <-ch
		say("prime %d", prime)
		in, out := ch, make(chan int)
		go func() {
			for {
				i := <-in
				if i%prime != 0 {
					say("%d passes %d", i, prime)
					out <- i
				} else {
					say("%d divides %d", prime, i)
				}
			}
		}()
		ch = out
	}
	say("main ends")
}
