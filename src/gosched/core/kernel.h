/* What the netpoller asks of the kernel. Nothing here blocks, but gs_epoll_wait if it is told to. */
#ifndef GOSCHED_KERNEL_H
#define GOSCHED_KERNEL_H
#include <Python.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#define GS_CHUNK 65536
#define GS_EVENTS 128

/* Up to n bytes that are there. None: none are, or an error: *error says which, EAGAIN for none. */
static PyObject *gs_recv(int fd, Py_ssize_t n, int *error)
{
    char chunk[GS_CHUNK];
    PyObject *large = NULL;
    ssize_t got;
    if (n > GS_CHUNK) {
        large = PyBytes_FromStringAndSize(NULL, n);
        if (large == NULL)
            return NULL;
    }
    do
        got = recv(fd, large ? PyBytes_AS_STRING(large) : chunk, (size_t)n, 0);
    while (got < 0 && errno == EINTR);
    *error = got < 0 ? (errno == EWOULDBLOCK ? EAGAIN : errno) : 0;
    if (got < 0) {
        Py_XDECREF(large);
        Py_RETURN_NONE;
    }
    if (large == NULL)
        return PyBytes_FromStringAndSize(chunk, got);
    _PyBytes_Resize(&large, got);
    return large;
}

/* How many bytes went, or minus the error. */
static Py_ssize_t gs_send(int fd, const char *data, Py_ssize_t n)
{
    ssize_t sent;
    do
        sent = send(fd, data, (size_t)n, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0 ? sent : errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

/* Whether a descriptor of any kind can be read or written now; minus the error. */
static int gs_is_ready(int fd, int writes)
{
    struct pollfd one = {fd, (short)(writes ? POLLOUT : POLLIN), 0};
    int n;
    do
        n = poll(&one, 1, 0);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : one.revents & POLLNVAL ? -EBADF : n;
}

#ifdef __linux__
typedef struct { int n; struct epoll_event list[GS_EVENTS]; } gs_events;

static int gs_epoll_open(void) { return epoll_create1(EPOLL_CLOEXEC); }
static int gs_wake_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static int gs_epoll_add(int epoll, int fd, uint64_t tag, int edges)
{
    struct epoll_event event;
    event.events = edges ? (uint32_t)(EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET) : EPOLLIN;
    event.data.u64 = tag;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}
static int gs_epoll_remove(int epoll, int fd)
{
    struct epoll_event none = {0};
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &none) == 0 ? 0 : errno;
}
static void gs_wake_ring(int fd)
{
    uint64_t one = 1;
    ssize_t n;
    do
        n = write(fd, &one, sizeof one);
    while (n < 0 && errno == EINTR);
}
static void gs_wake_drain(int fd)
{
    uint64_t rung;
    ssize_t n;
    do
        n = read(fd, &rung, sizeof rung);
    while (n < 0 && errno == EINTR);
}

/* ns: 0 look, below 0 for ever. An old kernel counts in milliseconds: what is less becomes one, what is more loses its fraction. */
static int gs_epoll_wait(int epoll, gs_events *events, int64_t ns)
{
    static int old_kernel;
    int n;
#ifdef SYS_epoll_pwait2
    if (ns > 0 && !old_kernel) {
        struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        n = (int)syscall(SYS_epoll_pwait2, epoll, events->list, GS_EVENTS, &time, NULL, 0);
        if (n >= 0 || errno == EINTR) { /* a sandbox may refuse what it does not know with any errno */
            events->n = n < 0 ? 0 : n;
            return events->n;
        }
        old_kernel = 1;
    }
#endif
    if (ns > 0)
        ns = ns < 1000000 ? 1 : ns > (int64_t)1000000000 * 1000000 ? 1000000000 : ns / 1000000;
    n = epoll_wait(epoll, events->list, GS_EVENTS, (int)ns);
    events->n = n < 0 ? 0 : n; /* interrupted by a signal: the caller looks again */
    return events->n;
}
static int gs_reads(uint32_t bits) { return (bits & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0; }
static int gs_writes(uint32_t bits) { return (bits & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0; }
#define GS_HAS_EPOLL 1
#else
struct gs_event { uint32_t events; struct { uint64_t u64; } data; };
typedef struct { int n; struct gs_event list[1]; } gs_events;
static int gs_epoll_open(void) { errno = ENOSYS; return -1; }
static int gs_wake_open(void) { errno = ENOSYS; return -1; }
static int gs_epoll_add(int epoll, int fd, uint64_t tag, int edges) { return ENOSYS; }
static int gs_epoll_remove(int epoll, int fd) { return ENOSYS; }
static void gs_wake_ring(int fd) {}
static void gs_wake_drain(int fd) {}
static int gs_epoll_wait(int epoll, gs_events *events, int64_t ns) { return events->n = 0; }
static int gs_reads(uint32_t bits) { return 0; }
static int gs_writes(uint32_t bits) { return 0; }
#define GS_HAS_EPOLL 0
#endif
#define GS_TAG(e, i) ((e)->list[i].data.u64)
#define GS_BITS(e, i) ((e)->list[i].events)
#endif
