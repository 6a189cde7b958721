package main

import (
	"math/rand"
	"sync"
	"sync/atomic"
	"time"
)

// pingpong passes numbers to and fro between `work` pairs, n round trips in all.
func pingpong(n, work int) reading {
	trips := n / work
	var counted atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range work {
		there, back := make(chan int), make(chan int)
		wg.Go(func() {
			v := 0
			for range trips {
				there <- v
				v = <-back
			}
			counted.Add(int64(v))
		})
		wg.Go(func() {
			for range trips {
				back <- <-there + 1
			}
		})
	}
	wg.Wait()
	return reading{int(counted.Load()), since(begin)}
}

// pipeline sends n numbers through `work` stages that add 1 each.
func pipeline(n, work int) reading {
	channels := make([]chan int, work+1)
	for i := range channels {
		channels[i] = make(chan int, 100)
	}
	begin := time.Now()
	go func() {
		for i := range n {
			channels[0] <- i
		}
		close(channels[0])
	}()
	for i := range work {
		go func() {
			for v := range channels[i] {
				channels[i+1] <- v + 1
			}
			close(channels[i+1])
		}()
	}
	total := 0
	for v := range channels[work] {
		total += v
	}
	return reading{total, since(begin)}
}

// selectReady fills one of four channels and receives from whichever is ready, n times.
func selectReady(n, _ int) reading {
	var channels [4]chan int
	for i := range channels {
		channels[i] = make(chan int, 1)
	}
	a, b, c, d := channels[0], channels[1], channels[2], channels[3]
	random := rand.New(rand.NewSource(1))
	picks := make([]int, n)
	for i := range picks {
		picks[i] = random.Intn(len(channels))
	}
	right := 0
	begin := time.Now()
	for i, pick := range picks {
		channels[pick] <- i
		var v int
		select {
		case v = <-a:
		case v = <-b:
		case v = <-c:
		case v = <-d:
		}
		if v == i {
			right++
		}
	}
	return reading{right, since(begin)}
}

// skynet starts ten children from every node, down to n leaves, each of which sends its number up.
func skynet(n, _ int) reading {
	out := make(chan int)
	begin := time.Now()
	go skynetNode(out, 0, n)
	total := <-out
	return reading{total, since(begin)}
}

func skynetNode(out chan int, first, leaves int) {
	if leaves == 1 {
		out <- first
		return
	}
	sums := make(chan int)
	part := leaves / 10
	for i := range 10 {
		go skynetNode(sums, first+i*part, part)
	}
	total := 0
	for range 10 {
		total += <-sums
	}
	out <- total
}

// sieve finds n primes; each gets a goroutine that lets no multiple of it pass.
func sieve(n, _ int) reading {
	prime := 0
	begin := time.Now()
	numbers := make(chan int)
	go func(out chan int) {
		for i := 2; ; i++ {
			out <- i
		}
	}(numbers)
	for range n {
		prime = <-numbers
		out := make(chan int)
		go sift(prime, numbers, out)
		numbers = out
	}
	return reading{prime, since(begin)}
}

func sift(prime int, numbers, out chan int) {
	for {
		if v := <-numbers; v%prime != 0 {
			out <- v
		}
	}
}
