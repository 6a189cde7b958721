package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
)

// smoke: fewer connections than this are no measurement, but a test of whether everything runs.
const smoke = 100

type load struct{ N, Seconds, P99 float64 }

// withServer echoes, while the load of a second process runs: GOSCHED_LOAD is its program. Returns what it measured, and by how much memory grew.
func withServer(n int, idle bool) (load, int64) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	before := resident()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go echo(conn)
		}
	}()
	busy, seconds := min(n, 100), "2"
	if n < smoke {
		seconds = "0.1"
	}
	if idle {
		busy, seconds = 0, "0.1"
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	command := exec.Command(os.Getenv("GOSCHED_LOAD"), "127.0.0.1", port, strconv.Itoa(busy), strconv.Itoa(n-busy), "1024", seconds)
	command.Stderr = os.Stderr
	out, err := command.Output()
	check(err)
	var measured load
	check(json.Unmarshal(out, &measured))
	return measured, resident() - before
}

func echo(conn net.Conn) {
	defer conn.Close()
	buffer := make([]byte, 65536)
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		if _, err := conn.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

// echoes: nanoseconds per message.
func echoes(n, _ int) reading {
	measured, _ := withServer(n, false)
	return reading{n, int64(measured.Seconds * 1e9 / measured.N)}
}

// connections: bytes that n idle ones take, each with the buffer of its goroutine.
func connections(n, _ int) reading {
	_, grown := withServer(n, true)
	return reading{n, grown}
}
