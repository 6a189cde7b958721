/* The load of the network cases: connections that send a message and wait for it to come back, from one thread, by epoll.
 *
 *     load HOST PORT BUSY IDLE SIZE SECONDS
 *
 * BUSY connections exchange messages of SIZE bytes all the time, IDLE ones send one at the beginning and then only stand there. It counts from when
 * every connection has had its first answer. Prints, as JSON, how many messages came back, in how many seconds, and percentiles of how long one
 * took, in microseconds. With GOSCHED_LOAD_APART=1 it leaves the first core to the server. Exits with 1 and a line on stderr if anything that comes back differs from what was sent.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, BUCKETS = 1 << 20, LARGEST = 1 << 20 };

struct peer {
    int fd;
    int idle;
    size_t got;
    int64_t sent_at;
};

static char message[LARGEST], answer[LARGEST];
static uint32_t bucket[BUCKETS]; /* by microseconds */

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, errno ? strerror(errno) : "the end");
    exit(1);
}

static void ask(struct peer *p, size_t size)
{
    p->got = 0;
    p->sent_at = now();
    if (send(p->fd, message, size, MSG_NOSIGNAL) != (ssize_t)size)
        fail("send");
}

static double percentile(uint64_t n, double share)
{
    uint64_t seen = 0;
    for (int i = 0; i < BUCKETS; i++)
        if ((seen += bucket[i]) > share * (double)n)
            return i;
    return 0;
}

static void open_all(struct peer *peers, int busy, int all, int epoll, struct sockaddr_in *to)
{
    int one = 1;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    for (int i = 0; i < all; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &peers[i]};
        peers[i].fd = socket(AF_INET, SOCK_STREAM, 0);
        peers[i].idle = i >= busy;
        if (peers[i].fd < 0 || connect(peers[i].fd, (struct sockaddr *)to, sizeof *to) < 0)
            fail("connect");
        setsockopt(peers[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, peers[i].fd, &event) < 0)
            fail("epoll_ctl");
    }
}

static void stay_apart(void)
{
    cpu_set_t others;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    CPU_ZERO(&others);
    for (long i = 1; i < cores; i++)
        CPU_SET((size_t)i, &others);
    if (cores > 1)
        sched_setaffinity(0, sizeof others, &others);
}

/* 1: the whole message has come back. */
static int take(struct peer *p, size_t size)
{
    ssize_t got = recv(p->fd, answer, size - p->got, 0);
    if (got <= 0)
        fail("recv");
    if (memcmp(answer, message + p->got, (size_t)got) != 0) {
        fprintf(stderr, "load: another answer than was sent\n");
        exit(1);
    }
    p->got += (size_t)got;
    return p->got == size;
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return fprintf(stderr, "usage: load HOST PORT BUSY IDLE SIZE SECONDS\n"), 2;
    int busy = atoi(argv[3]), all = busy + atoi(argv[4]), epoll = epoll_create1(0);
    size_t size = (size_t)atol(argv[5]);
    int64_t length = (int64_t)(atof(argv[6]) * 1e9), begin, end;
    uint64_t n = 0;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2]))};
    struct epoll_event events[EVENTS];
    struct peer *peers = calloc((size_t)(all > 0 ? all : 1), sizeof *peers);
    if (size == 0 || size > LARGEST || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1 || all < 1 || peers == NULL)
        return fprintf(stderr, "load: bad arguments\n"), 2;
    if (getenv("GOSCHED_LOAD_APART") != NULL)
        stay_apart();
    for (size_t i = 0; i < size; i++)
        message[i] = (char)(i * 7 + 1);
    open_all(peers, busy, all, epoll, &to);
    for (int i = 0; i < all; i++)
        ask(&peers[i], size);
    for (int answered = 0; answered < all;) {
        int found = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < found; i++)
            answered += take(events[i].data.ptr, size);
    }
    begin = now();
    end = begin + length;
    for (int i = 0; i < busy; i++)
        ask(&peers[i], size);
    while (now() < end) {
        int found = epoll_wait(epoll, events, EVENTS, 100);
        for (int i = 0; i < found; i++) {
            struct peer *p = events[i].data.ptr;
            if (take(p, size)) {
                int64_t us = (now() - p->sent_at) / 1000;
                bucket[us < BUCKETS ? us : BUCKETS - 1]++;
                n++;
                ask(p, size);
            }
        }
    }
    printf("{\"n\": %llu, \"seconds\": %.6f, \"p50\": %.0f, \"p99\": %.0f, \"p999\": %.0f}\n", (unsigned long long)n, (double)(now() - begin) / 1e9,
           percentile(n, 0.5), percentile(n, 0.99), percentile(n, 0.999));
    return 0;
}
