/* Stress of native.h under ThreadSanitizer: real threads, no Python.
 *
 *   harness CASE ROUNDS [SEED]      CASE is one of the names in the table at the end
 *
 * Each round sets its words up afresh, lets a crew of threads at them and counts afterwards. Exit 0: all rounds were right; 1: a result
 * was wrong; 2: called wrongly; 3: no thread got any work done for WATCHDOG_MS milliseconds (environment; 20000); 66: ThreadSanitizer's.
 *
 * LIMIT_MS (environment) is the time after which no further round begins.
 *
 * Two rules make ThreadSanitizer see what is to be seen. What is handed over is plain memory, so that a missing happens-before is a race.
 * And the harness counts with relaxed atomics only: a lock of its own would order what native.h forgot to order.
 *
 * native.h is included as it is, with noise: each of its atomic operations first rolls dice and may give up the processor, so that two
 * cores show the interleavings of many. What noise cannot show is a processor that reorders: ThreadSanitizer's atomics are full barriers.
 *
 * -DPLANT=n plants bug n, below. Each is one thing gone wrong, in a function that stands in for one of native.h or in the way it is used,
 * and must make its case fail. -DPLANT=chosen leaves the choice to the environment (PLANT=n): one binary for all of them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

#ifndef PLANT
#define PLANT 0
#endif
enum {
    STEAL_WITHOUT_COMMIT = 1, /* ring_steal: head moves by a store, whoever moved it meanwhile */
    POP_WITHOUT_COMPARE,      /* ring_steal: the owner's head, likewise */
    SPILL_WITHOUT_COMPARE,    /* ring_steal: half a ring, likewise */
    TAKE_NEXT_BY_STORE,       /* ring_steal: next is read, then emptied */
    KICK_BY_STORE,            /* ring_steal: next is read, then overwritten */
    TAIL_BEFORE_SLOT,         /* ring_steal: the tail covers a slot that is not written yet */
    TAIL_RELAXED,             /* ring_steal: the tail says nothing about what was written before it */
    TAIL_PLAIN,               /* ring_steal: the tail is stored as any int */
    STEAL_KEEPS_NEWEST,       /* ring_steal: the one returned is published as well */
    EMPTY_READS_TAIL_ONCE,    /* ring_empty */
    EMPTY_READS_NEXT_FIRST,   /* ring_empty */
    LOCK_WITHOUT_COMPARE,     /* mutex: seen free, then stored as held */
    UNLOCK_WITHOUT_WAKE,      /* mutex */
    UNLOCK_RELAXED,           /* mutex: the next holder does not see what this one wrote */
    WOKEN_FORGETS_OTHERS,     /* mutex: a woken sleeper holds it as if nobody else slept */
    SPIN_WITHOUT_COMPARE,     /* spin: seen free, then stored as held */
    SPIN_UNLOCK_RELAXED,      /* spin */
    WAKE_WITHOUT_KERNEL,      /* note: the word is set, the sleeper sleeps on */
    WAKE_RELAXED,             /* note */
    CLEAR_TOO_LATE,           /* note: cleared after the other side may have woken it again */
    TIMEOUT_IS_WAKE,          /* note: a sleep that ran out of time says it was woken */
    TAKE_WITHOUT_LOCK,        /* fifo */
    NO_SHRINK,                /* fifo */
    GROW_WITHOUT_UNWRAP,      /* fifo: the slots are copied as they lie, head in the middle */
    SKIP_NOTIFIED,            /* park: a waker that finds PARKING goes away */
    PARKING_IS_PARKED,        /* park: a waker that finds PARKING takes the goroutine */
    PUBLISH_BEFORE_PARKING,   /* park: the waiter is visible before the state says so */
    PARK_BY_STORE,            /* park: PARKED is stored over whatever a waker left */
    CLAIM_RELAXED,            /* park: the waker does not see what the parker wrote last */
    RETAKE_WITHOUT_COMPARE,   /* userp: seen there, then emptied */
    RETAKE_ANY,               /* userp: whatever P stood there is taken for the one looked for */
    TAKE_BACK_BY_STORE,       /* userp: the M reads its P, then empties the word */
    PUBLISH_RELAXED,          /* userp */
    REMOVE_WITHOUT_LOCK,      /* list */
    PLANTS
};
static int chosen;

/* ---- dice and noise ---- */
static __thread uint32_t dice = 1;
static uint32_t noise_mask; /* one atomic operation in noise_mask + 1 is disturbed; 0: none */
static int64_t quiet_from;  /* when the round has had its noise */
static int32_t sleeps;      /* how often a thread slept in the kernel and was woken */

__attribute__((noinline, no_sanitize("thread"))) static uint32_t roll(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 17;
    dice ^= dice << 5;
    return dice >> 3;
}
/* On a busy machine it may take long until the processor comes back: not too often in one round. */
__attribute__((noinline, no_sanitize("thread"))) static void give_way(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec < quiet_from)
        sched_yield();
}
__attribute__((noinline, no_sanitize("thread"))) static void noise(void)
{
    if (noise_mask == 0)
        return;
    uint32_t x = roll();
    if ((x & noise_mask) != 0)
        return;
    if ((x & 0x3000) == 0)
        give_way();
    else
        for (volatile uint32_t i = x >> 20; i; i--)
            ;
}
static void count_sleep(void) { __atomic_add_fetch(&sleeps, 1, __ATOMIC_RELAXED); }
#ifdef __linux__
static long kernel(long number, int32_t *word, int op, int32_t value, const struct timespec *t, void *other, int extra)
{
    long result = syscall(number, word, op, value, t, other, extra);
    if (op == FUTEX_WAIT_PRIVATE && result == 0)
        count_sleep();
    return result;
}
#define syscall kernel
#else
#define pthread_cond_wait(c, m) (count_sleep(), pthread_cond_wait(c, m))
#endif
#define __atomic_load_n(p, order) (noise(), __atomic_load_n(p, order))
#define __atomic_store_n(p, v, order) (noise(), __atomic_store_n(p, v, order))
#define __atomic_exchange_n(p, v, order) (noise(), __atomic_exchange_n(p, v, order))
#define __atomic_add_fetch(p, v, order) (noise(), __atomic_add_fetch(p, v, order))
#define __atomic_compare_exchange_n(p, old, v, weak, yes, no) (noise(), __atomic_compare_exchange_n(p, old, v, weak, yes, no))

#include "native.h"

/* What the harness itself counts with: orders nothing. */
#define READ(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define WRITE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define COUNT(p, v) __atomic_add_fetch((p), (v), __ATOMIC_RELAXED)

/* ---- verdicts ---- */
static const char *case_name;
static int32_t work; /* whatever a case calls progress */
static int32_t work_seen;
static int idle_ms, patience_ms = 20000;
#define TICK_MS 50

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
    static int32_t failed;
    char line[256];
    va_list args;
    while (GS_SWAP(&failed, 1) != 0)
        pause(); /* the first one speaks for all */
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    dprintf(2, "FAILED %s: %s\n", case_name, line);
    _exit(1);
}
static void on_tick(int signal_number)
{
    static const char words[] = "FAILED: hang, no thread gets any work done\n";
    (void)signal_number;
    int32_t now = __atomic_load_n(&work, __ATOMIC_RELAXED);
    idle_ms = now == work_seen ? idle_ms + TICK_MS : 0;
    work_seen = now;
    if (idle_ms >= patience_ms) {
        if (write(2, words, sizeof words - 1) < 0)
            _exit(4);
        _exit(3);
    }
}
static void start_watchdog(void)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, TICK_MS * 1000}, {0, TICK_MS * 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

/* ---- crews ---- */
#define CREW 12
typedef struct { int id, of; uint32_t seed; void (*body)(int); } sailor;
static uint32_t round_seed;
static int32_t aboard;

static void *sail(void *arg)
{
    sailor *s = arg;
    dice = s->seed;
    COUNT(&aboard, 1);
    while (READ(&aboard) < s->of)
        sched_yield();
    s->body(s->id);
    return NULL;
}
/* n threads, all at once; the watchdog's signal goes to the main thread, which only joins. */
static void crew(int n, void (*body)(int))
{
    pthread_t thread[CREW];
    sailor sailors[CREW];
    sigset_t tick, old;
    sigemptyset(&tick);
    sigaddset(&tick, SIGALRM);
    aboard = 0;
    pthread_sigmask(SIG_BLOCK, &tick, &old);
    for (int i = 0; i < n; i++) {
        sailors[i] = (sailor){i, n, (round_seed * 0x9E3779B1u + (uint32_t)i * 0x85EBCA6Bu) | 1, body};
        if (pthread_create(&thread[i], NULL, sail, &sailors[i]) != 0)
            fail("no thread");
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}
/* In planted code: the moment in which the others spoil it. */
static void window(void)
{
    for (uint32_t i = roll() % 4; i; i--)
        sched_yield();
    if (roll() % 32 == 0)
        gs_nap(20000);
}
/* A little time in which nothing shared is touched. */
static void loiter(void)
{
    uint32_t x = roll();
    if (x % 16 == 0)
        give_way();
    else
        for (volatile uint32_t i = x % 64; i; i--)
            ;
}

/* ---- ring_steal: everything put in comes out once, with what was written into it before ---- */
#define ITEMS 600
#define RINGS 4
typedef struct { uint32_t id, content; int32_t taken; } item;
static struct {
    item items[ITEMS];
    gs_ring ring[RINGS]; /* 0 is the owner's, the others are the thieves' */
    gs_mutex lock;
    gs_fifo global;
    int32_t produced;
} rs;

static uint32_t content_of(uint32_t id) { return id * 2654435761u + 1; }
static void consume(item *g)
{
    if (COUNT(&g->taken, 1) != 1)
        fail("item %u was taken twice", g->id);
    if (g->content != content_of(g->id))
        fail("item %u came without its content", g->id);
    g->content = 0;
    COUNT(&work, 1);
}
static int push(gs_ring *r, void *g)
{
    uint32_t t = r->tail;
    if (PLANT != TAIL_BEFORE_SLOT && PLANT != TAIL_RELAXED && PLANT != TAIL_PLAIN)
        return gs_ring_push(r, g);
    if (t - GS_LOAD(&r->head) >= r->cap)
        return 0;
    if (PLANT == TAIL_BEFORE_SLOT) {
        GS_PUBLISH(&r->tail, t + 1);
        window();
    }
    __atomic_store_n(gs_ring_slot(r, t), g, __ATOMIC_RELAXED);
    if (PLANT == TAIL_RELAXED)
        __atomic_store_n(&r->tail, t + 1, __ATOMIC_RELAXED);
    if (PLANT == TAIL_PLAIN)
        *(volatile uint32_t *)&r->tail = t + 1;
    return 1;
}
static void *pop(gs_ring *r)
{
    if (PLANT != POP_WITHOUT_COMPARE)
        return gs_ring_pop(r);
    uint32_t h = GS_LOAD(&r->head);
    if (h == r->tail)
        return NULL;
    void *g = GS_PEEK(gs_ring_slot(r, h));
    window();
    GS_STORE(&r->head, h + 1);
    return g;
}
static uint32_t pop_half(gs_ring *r, void **out)
{
    if (PLANT != SPILL_WITHOUT_COMPARE)
        return gs_ring_pop_half(r, out);
    uint32_t h = GS_LOAD(&r->head), n = r->cap / 2;
    if (r->tail - h < r->cap)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        out[i] = GS_PEEK(gs_ring_slot(r, h + i));
    window();
    GS_STORE(&r->head, h + n);
    return n;
}
static void *steal(gs_ring *r, gs_ring *victim, uint32_t *taken)
{
    if (PLANT != STEAL_WITHOUT_COMMIT && PLANT != STEAL_KEEPS_NEWEST)
        return gs_ring_steal(r, victim, taken);
    uint32_t h = GS_LOAD(&victim->head), n = GS_LOAD(&victim->tail) - h, t = r->tail;
    n -= n / 2;
    if (n == 0 || n > victim->cap / 2)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        __atomic_store_n(gs_ring_slot(r, t + i), GS_PEEK(gs_ring_slot(victim, h + i)), __ATOMIC_RELAXED);
    if (PLANT == STEAL_WITHOUT_COMMIT) {
        window();
        GS_STORE(&victim->head, h + n);
    } else if (!gs_cas_head(victim, h, h + n)) {
        return NULL;
    }
    *taken = n;
    void *g = *gs_ring_slot(r, t + n - 1);
    GS_PUBLISH(&r->tail, PLANT == STEAL_KEEPS_NEWEST ? t + n : t + n - 1);
    return g;
}
static void *swap_next(gs_ring *r, void *g)
{
    if (PLANT != KICK_BY_STORE)
        return gs_ring_swap_next(r, g);
    void *old = GS_LOAD(&r->next);
    window();
    GS_STORE(&r->next, g);
    return old;
}
static void *take_next(gs_ring *r)
{
    if (PLANT != TAKE_NEXT_BY_STORE)
        return gs_ring_take_next(r);
    void *g = GS_LOAD(&r->next);
    if (g != NULL) {
        window();
        GS_STORE(&r->next, NULL);
    }
    return g;
}
static int spill(gs_ring *r, void *g)
{
    void *batch[64];
    uint32_t n = pop_half(r, batch);
    if (n == 0)
        return 0;
    gs_lock(&rs.lock);
    for (uint32_t i = 0; i < n; i++)
        gs_fifo_put(&rs.global, batch[i]);
    gs_fifo_put(&rs.global, g);
    gs_unlock(&rs.lock);
    return 1;
}
static void put_tail(gs_ring *r, void *g)
{
    while (!push(r, g) && !spill(r, g))
        ;
}
static void put_next(gs_ring *r, void *g)
{
    void *kicked = swap_next(r, g);
    if (kicked != NULL)
        put_tail(r, kicked);
}
static void *take_global(void)
{
    if (gs_fifo_len(&rs.global) == 0)
        return NULL;
    gs_lock(&rs.lock);
    void *g = gs_fifo_take(&rs.global);
    gs_unlock(&rs.lock);
    return g;
}
static void *take_own(gs_ring *r)
{
    void *g = take_next(r);
    return g != NULL ? g : pop(r);
}
static void own_ring(void)
{
    gs_ring *r = &rs.ring[0];
    item *g;
    for (uint32_t i = 0; i < ITEMS; i++) {
        rs.items[i].content = content_of(i);
        if (roll() % 3)
            put_next(r, &rs.items[i]);
        else
            put_tail(r, &rs.items[i]);
        if (roll() % 4 == 0 && (g = take_own(r)) != NULL)
            consume(g);
        if (roll() % 16 == 0 && (g = take_global()) != NULL)
            consume(g);
        if (roll() % 32 == 0)
            give_way();
    }
    WRITE(&rs.produced, 1);
    while ((g = take_own(r)) != NULL || (g = take_global()) != NULL)
        consume(g);
}
static item *look_around(int id)
{
    gs_ring *r = &rs.ring[id];
    uint32_t first = roll(), n = 0;
    for (uint32_t i = 0; i < RINGS; i++) {
        gs_ring *victim = &rs.ring[(first + i) % RINGS];
        if (victim == r)
            continue;
        if (PLANT == 0 && gs_ring_size(victim) > victim->cap)
            fail("a ring holds more than it can");
        item *g = steal(r, victim, &n);
        if (g != NULL) {
            if (n == 0 || n > victim->cap / 2)
                fail("%u stolen at once from a ring of %u", n, victim->cap);
            return g;
        }
    }
    return roll() % 2 ? take_next(&rs.ring[0]) : NULL;
}
static void steal_body(int id)
{
    if (id == 0) {
        own_ring();
        return;
    }
    for (;;) {
        int32_t last = READ(&rs.produced);
        item *g;
        while ((g = pop(&rs.ring[id])) != NULL)
            consume(g);
        g = look_around(id); /* with an empty ring of its own, or there might be no room for the batch */
        if (g != NULL)
            consume(g);
        else if (last)
            return;
    }
}
static void ring_steal(void)
{
    static const uint32_t caps[] = {8, 2, 4, 128};
    uint32_t cap = caps[roll() % 4], from = roll() % 2 ? 0u - roll() % 256 : roll(); /* often across the end of 32 bits */
    memset(rs.items, 0, sizeof rs.items);
    memset(&rs.global, 0, sizeof rs.global);
    rs.produced = 0;
    for (uint32_t i = 0; i < ITEMS; i++)
        rs.items[i].id = i;
    for (int i = 0; i < RINGS; i++) {
        if (!gs_ring_init(&rs.ring[i], cap))
            fail("no memory");
        rs.ring[i].head = rs.ring[i].tail = from;
    }
    crew(RINGS, steal_body);
    for (int i = 0; i < RINGS; i++)
        if (!gs_ring_empty(&rs.ring[i]))
            fail("ring %d was left with something in it", i);
    if (gs_fifo_len(&rs.global) != 0)
        fail("something was left in the global queue");
    for (uint32_t i = 0; i < ITEMS; i++)
        if (rs.items[i].taken != 1)
            fail("item %u was lost", i);
    for (int i = 0; i < RINGS; i++)
        gs_ring_free(&rs.ring[i]);
    gs_fifo_free(&rs.global);
}

/* ---- ring_empty: a queue that never is empty is never seen so ---- */
#define KICKS 250
static struct { gs_ring ring; int32_t over; int item[2]; } re;

static int seems_empty(gs_ring *r)
{
    uint32_t h, t;
    void *next = NULL;
    if (PLANT != EMPTY_READS_TAIL_ONCE && PLANT != EMPTY_READS_NEXT_FIRST)
        return gs_ring_empty(r);
    if (PLANT == EMPTY_READS_NEXT_FIRST) {
        next = GS_LOAD(&r->next);
        window();
    }
    h = GS_LOAD(&r->head);
    t = GS_LOAD(&r->tail);
    if (PLANT == EMPTY_READS_TAIL_ONCE) {
        window();
        next = GS_LOAD(&r->next);
    } else if (t != GS_LOAD(&r->tail)) {
        return 0;
    }
    return h == t && next == NULL;
}
/* One item at the least at every moment: from next over a kick-out into the ring, and out of the ring with the other one in next. */
static void kick_about(gs_ring *r, void *spare)
{
    for (int i = 0; i < KICKS; i++) {
        void *kicked = gs_ring_swap_next(r, spare);
        if (kicked == NULL || !gs_ring_push(r, kicked))
            fail("nothing was kicked out, or there was no room for it");
        loiter();
        if (gs_ring_take_next(r) != spare)
            fail("next was not what the owner left there");
        loiter();
        gs_ring_swap_next(r, spare);
        spare = gs_ring_pop(r);
        if (spare != kicked)
            fail("the ring gave its owner something else");
        loiter();
        COUNT(&work, 1);
    }
}
static void empty_body(int id)
{
    if (id == 0) {
        kick_about(&re.ring, &re.item[1]);
        WRITE(&re.over, 1);
    }
    while (!READ(&re.over)) {
        if (seems_empty(&re.ring))
            fail("seen empty while the owner moved an item from next to the tail");
        if (gs_ring_size(&re.ring) > re.ring.cap)
            fail("a ring holds more than it can");
    }
}
static void ring_empty(void)
{
    if (!gs_ring_init(&re.ring, 4))
        fail("no memory");
    re.ring.head = re.ring.tail = 0u - roll() % KICKS;
    re.ring.next = &re.item[0];
    re.over = 0;
    crew(2 + (int)(roll() % 2), empty_body);
    gs_ring_free(&re.ring);
}

/* ---- mutex: one at a time, and nobody sleeps on ---- */
#define LOCKERS 8
#define TURNS 250
static struct { gs_mutex lock; int counter, last; int32_t inside; } mx;

static void lock(gs_mutex *m)
{
    if (PLANT == LOCK_WITHOUT_COMPARE) {
        while (GS_LOAD(&m->word) != 0)
            sched_yield();
        window();
        GS_STORE(&m->word, 1);
    } else if (PLANT == WOKEN_FORGETS_OTHERS && !gs_cas32(&m->word, 0, 1)) {
        while (GS_SWAP(&m->word, 2) != 0) {
            gs_kernel_wait(&m->word, 2, -1);
            if (gs_cas32(&m->word, 0, 1))
                return;
        }
    } else if (PLANT != WOKEN_FORGETS_OTHERS) {
        gs_lock(m);
    }
}
static void unlock(gs_mutex *m)
{
    if (PLANT == UNLOCK_WITHOUT_WAKE)
        GS_STORE(&m->word, 0);
    else if (PLANT == UNLOCK_RELAXED && __atomic_exchange_n(&m->word, 0, __ATOMIC_RELAXED) == 2)
        gs_kernel_wake(&m->word);
    else if (PLANT != UNLOCK_RELAXED)
        gs_unlock(m);
}
static void mutex_body(int id)
{
    for (int i = 0; i < TURNS; i++) {
        lock(&mx.lock);
        if (COUNT(&mx.inside, 1) != 1)
            fail("two threads hold the mutex");
        int before = mx.counter;
        if (roll() % 128 == 0)
            gs_nap(20000); /* long enough for the others to give up spinning */
        mx.counter = before + 1;
        mx.last = id;
        COUNT(&mx.inside, -1);
        unlock(&mx.lock);
        COUNT(&work, 1);
    }
}
static void mutex(void)
{
    memset(&mx, 0, sizeof mx);
    crew(LOCKERS, mutex_body);
    if (mx.counter != LOCKERS * TURNS)
        fail("%d turns, %d counted", LOCKERS * TURNS, mx.counter);
    if (mx.lock.word != 0)
        fail("the mutex is still held: %d", mx.lock.word);
    if (READ(&sleeps) == 0)
        fail("nobody ever slept: nothing was tried");
}

/* ---- spin: the same for the lock that never sleeps ---- */
static struct { gs_spin lock; int counter; int32_t inside; } sp;

static void spin_lock(gs_spin *l)
{
    if (PLANT != SPIN_WITHOUT_COMPARE) {
        gs_spin_lock(l);
        return;
    }
    while (GS_LOAD(&l->word) != 0)
        sched_yield();
    window();
    GS_STORE(&l->word, 1);
}
static void spin_unlock(gs_spin *l)
{
    if (PLANT == SPIN_UNLOCK_RELAXED)
        __atomic_store_n(&l->word, 0, __ATOMIC_RELAXED);
    else
        gs_spin_unlock(l);
}
static void spin_body(int id)
{
    (void)id;
    for (int i = 0; i < TURNS; i++) {
        spin_lock(&sp.lock);
        if (COUNT(&sp.inside, 1) != 1)
            fail("two threads hold the lock");
        int before = sp.counter;
        if (roll() % 256 == 0)
            sched_yield(); /* as if it had lost its core */
        sp.counter = before + 1;
        COUNT(&sp.inside, -1);
        spin_unlock(&sp.lock);
        COUNT(&work, 1);
    }
}
static void spin(void)
{
    memset(&sp, 0, sizeof sp);
    crew(LOCKERS, spin_body);
    if (sp.counter != LOCKERS * TURNS)
        fail("%d turns, %d counted", LOCKERS * TURNS, sp.counter);
    if (sp.lock.word != 0)
        fail("the lock is still held: %d", sp.lock.word);
}

/* ---- note: two threads hand one plain word to and fro ---- */
#define SERVES 250
static struct { gs_note note[2]; int ball; } nt;

static void note_wake(gs_note *n)
{
    if (PLANT == WAKE_WITHOUT_KERNEL)
        GS_SWAP(&n->word, 1);
    else if (PLANT == WAKE_RELAXED && __atomic_exchange_n(&n->word, 1, __ATOMIC_RELAXED) == 0)
        gs_kernel_wake(&n->word);
    else if (PLANT != WAKE_RELAXED)
        gs_note_wake(n);
}
static int note_sleep(gs_note *n, int64_t until)
{
    int woken = gs_note_sleep(n, until);
    return PLANT == TIMEOUT_IS_WAKE ? 1 : woken;
}
/* A point in time: never (-1), long ago, or soon. */
static int64_t some_time(void)
{
    switch (roll() % 4) {
    case 0: return 0;
    case 1: return gs_now() - 1;
    case 2: return gs_now() + roll() % 60000;
    default: return -1;
    }
}
static void wait_note(gs_note *n)
{
    for (;;) {
        int64_t until = some_time();
        if (note_sleep(n, until))
            return;
        if (until < 0)
            fail("a sleep without an end ended without a wake");
        if (gs_now() < until)
            fail("a sleep ended before its time without a wake");
    }
}
static void note_body(int id)
{
    gs_note *mine = &nt.note[id], *theirs = &nt.note[!id];
    for (int i = 0; i < SERVES; i++) {
        if (id == 0) {
            int64_t until = some_time();
            nt.ball = 2 * i;
            if (until >= 0 && note_sleep(mine, until))
                fail("woken by nobody");
            note_wake(theirs);
        }
        wait_note(mine);
        if (PLANT != CLEAR_TOO_LATE)
            gs_note_clear(mine);
        if (nt.ball != 2 * i + !id)
            fail("the ball is %d in serve %d of player %d", nt.ball, i, id);
        if (id == 1) {
            nt.ball++;
            note_wake(theirs);
        }
        if (PLANT == CLEAR_TOO_LATE) {
            window();
            gs_note_clear(mine);
        }
        COUNT(&work, 1);
    }
}
static void note(void)
{
    memset(&nt, 0, sizeof nt);
    crew(2, note_body);
}

/* ---- fifo: each producer's order is kept, and the memory of a burst goes back ---- */
#define PRODUCERS 3
#define CONSUMERS 2
#define EACH 2000
typedef struct { int producer, number; } parcel;
static struct {
    parcel parcels[PRODUCERS][EACH];
    gs_mutex lock;
    gs_fifo queue;
    int next[PRODUCERS]; /* under the lock: the number that each producer's next parcel must have */
    uint32_t widest;     /* likewise */
    int32_t taken;
} ff;

static int fifo_put(gs_fifo *q, void *x)
{
    if (PLANT == GROW_WITHOUT_UNWRAP && q->len == q->cap) {
        uint32_t cap = q->cap ? q->cap * 2 : 64;
        void **slots = calloc(cap, sizeof *slots);
        if (q->cap)
            memcpy(slots, q->slots, q->cap * sizeof *slots);
        free(q->slots);
        q->slots = slots;
        q->cap = cap;
    }
    return gs_fifo_put(q, x);
}
static void *fifo_take(gs_fifo *q)
{
    if (PLANT != NO_SHRINK || q->len == 0)
        return gs_fifo_take(q);
    void *g = q->slots[q->head];
    q->head = (q->head + 1) & (q->cap - 1);
    GS_PUBLISH(&q->len, q->len - 1);
    return g;
}
/* Lock held. */
static void check_parcel(parcel *x)
{
    if (x == NULL)
        fail("a parcel was lost in the queue");
    if (x->number != ff.next[x->producer])
        fail("parcel %d of producer %d came when %d was due", x->number, x->producer, ff.next[x->producer]);
    ff.next[x->producer]++;
}
static void consume_parcels(void)
{
    while (READ(&ff.taken) < PRODUCERS * EACH) {
        if (gs_fifo_len(&ff.queue) == 0) {
            sched_yield();
            continue;
        }
        uint32_t n = roll() % 3;
        if (PLANT != TAKE_WITHOUT_LOCK)
            gs_lock(&ff.lock);
        if (n == 0 && gs_fifo_len(&ff.queue) != 0) { /* as a refill does for which the ring has no room */
            parcel *back = fifo_take(&ff.queue);
            if (!gs_fifo_put_front(&ff.queue, back))
                fail("no memory");
        }
        for (; n && gs_fifo_len(&ff.queue) != 0; n--) {
            check_parcel(fifo_take(&ff.queue));
            COUNT(&ff.taken, 1);
            COUNT(&work, 1);
        }
        if (PLANT != TAKE_WITHOUT_LOCK)
            gs_unlock(&ff.lock);
    }
}
static void fifo_body(int id)
{
    if (id >= PRODUCERS) {
        consume_parcels();
        return;
    }
    for (int i = 0; i < EACH; i++) {
        parcel *x = &ff.parcels[id][i];
        *x = (parcel){id, i};
        gs_lock(&ff.lock);
        if (!fifo_put(&ff.queue, x))
            fail("no memory");
        if (ff.queue.cap > ff.widest)
            ff.widest = ff.queue.cap;
        gs_unlock(&ff.lock);
    }
}
static void fifo(void)
{
    static int stale; /* a burst of parcels that nobody asks the number of */
    memset(&ff, 0, sizeof ff);
    crew(PRODUCERS + CONSUMERS, fifo_body);
    if (gs_fifo_len(&ff.queue) != 0)
        fail("%u are left", gs_fifo_len(&ff.queue));
    for (int i = 0; i < 9000; i++)
        gs_fifo_put(&ff.queue, &stale);
    if (ff.queue.cap > ff.widest)
        ff.widest = ff.queue.cap;
    while (gs_fifo_len(&ff.queue) != 0)
        if (fifo_take(&ff.queue) != &stale)
            fail("a parcel was lost in the burst");
    if (ff.widest < 9000 || ff.queue.cap > 4096)
        fail("memory stays: %u slots in the burst, %u after it", ff.widest, ff.queue.cap);
    gs_fifo_free(&ff.queue);
}

/* ---- park: the handshake of the state word; see g.py ---- */
#define GOROUTINES 6
#define PARKS 60
enum { RUNNABLE, RUNNING, PARKING, PARKED, NOTIFIED, RETRY, DEAD };
typedef struct { int32_t word, inside; int turns, touched; } goroutine;
static struct {
    goroutine g[GOROUTINES];
    gs_mutex lock;
    gs_fifo ready, waiters;
    int32_t living;
    int rogue; /* this round somebody wakes goroutines that did not ask for it, as the end of a program does */
} pk;

static void put_locked(gs_fifo *q, void *g)
{
    gs_lock(&pk.lock);
    gs_fifo_put(q, g);
    gs_unlock(&pk.lock);
}
static void *take_locked(gs_fifo *q)
{
    if (gs_fifo_len(q) == 0)
        return NULL;
    gs_lock(&pk.lock);
    void *g = gs_fifo_take(q);
    gs_unlock(&pk.lock);
    return g;
}
static void touch(goroutine *g)
{
    if (COUNT(&g->inside, 1) != 1)
        fail("a goroutine has two owners");
    g->touched++;
    loiter();
    g->touched++;
    COUNT(&g->inside, -1);
}
/* The waker. True: the goroutine is the caller's to queue. */
static int claim(goroutine *g)
{
    int32_t parked = PARKED;
    for (;;) {
        if (PLANT == CLAIM_RELAXED) {
            if (__atomic_compare_exchange_n(&g->word, &parked, RUNNABLE, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return 1;
            parked = PARKED;
        } else if (gs_cas32(&g->word, PARKED, RUNNABLE)) {
            return 1;
        }
        if (PLANT == SKIP_NOTIFIED && GS_LOAD(&g->word) == PARKING)
            return 0;
        if (PLANT == PARKING_IS_PARKED && gs_cas32(&g->word, PARKING, RUNNABLE))
            return 1;
        if (gs_cas32(&g->word, PARKING, NOTIFIED))
            return 0;
        int32_t state = CLAIM_RELAXED == PLANT ? READ(&g->word) : GS_LOAD(&g->word);
        if (state != PARKED && state != PARKING)
            return 0;
    }
}
static void wake(goroutine *g)
{
    if (g != NULL && claim(g)) {
        touch(g);
        put_locked(&pk.ready, g);
    } else if (g == NULL) {
        sched_yield();
    }
}
/* The goroutine's own part, in its operation, then its M's. */
static void park(goroutine *g)
{
    if (PLANT == PUBLISH_BEFORE_PARKING) {
        put_locked(&pk.waiters, g);
        window();
        GS_PUBLISH(&g->word, PARKING);
    } else {
        GS_PUBLISH(&g->word, PARKING);
        put_locked(&pk.waiters, g);
    }
    touch(g); /* still ours: the coroutine has not yielded yet */
    if (PLANT == PARK_BY_STORE) {
        GS_STORE(&g->word, PARKED);
    } else if (!gs_cas32(&g->word, PARKING, PARKED)) {
        if (GS_LOAD(&g->word) != NOTIFIED)
            fail("a parking goroutine is in state %d", GS_LOAD(&g->word));
        GS_PUBLISH(&g->word, RUNNABLE);
        touch(g);
        put_locked(&pk.ready, g);
    }
}
static void park_body(int id)
{
    while (READ(&pk.living) != 0) {
        if (id >= 2) {
            wake(id == 3 && pk.rogue && roll() % 2 ? &pk.g[roll() % GOROUTINES] : take_locked(&pk.waiters));
            continue;
        }
        goroutine *g = take_locked(&pk.ready);
        if (g == NULL) {
            sched_yield();
            continue;
        }
        if (GS_LOAD(&g->word) != RUNNABLE)
            fail("a queued goroutine is in state %d", GS_LOAD(&g->word));
        GS_PUBLISH(&g->word, RUNNING);
        touch(g);
        COUNT(&work, 1);
        if (--g->turns == 0) {
            GS_PUBLISH(&g->word, DEAD);
            COUNT(&pk.living, -1);
        } else {
            park(g);
        }
    }
}
static void park_case(void)
{
    memset(&pk, 0, sizeof pk);
    pk.rogue = round_seed % 2;
    pk.living = GOROUTINES;
    for (int i = 0; i < GOROUTINES; i++) {
        pk.g[i].turns = PARKS;
        gs_fifo_put(&pk.ready, &pk.g[i]);
    }
    crew(4, park_body);
    for (int i = 0; i < GOROUTINES; i++)
        if (pk.g[i].word != DEAD || pk.g[i].turns != 0)
            fail("goroutine %d ended in state %d with %d turns to go", i, pk.g[i].word, pk.g[i].turns);
    if (gs_fifo_len(&pk.ready) != 0)
        fail("a dead goroutine is queued");
    gs_fifo_free(&pk.ready);
    gs_fifo_free(&pk.waiters);
}

/* ---- userp: who has the P, its M that comes back or the one who retakes it ---- */
#define MS 3
#define PS 2
#define RETAKERS 1
#define CALLS 400
typedef struct { int turns; int32_t inside; } proc;
static struct {
    struct { void *userp __attribute__((aligned(64))); int turns; } m[MS + RETAKERS];
    proc p[PS];
    gs_mutex lock;
    gs_fifo idle;
    int32_t running;
} up;

static void use(proc *p, int id)
{
    if (COUNT(&p->inside, 1) != 1)
        fail("a P has two owners");
    int before = p->turns;
    loiter();
    p->turns = before + 1;
    up.m[id].turns++;
    COUNT(&p->inside, -1);
}
static proc *take_back(int id)
{
    void **word = &up.m[id].userp;
    if (PLANT != TAKE_BACK_BY_STORE)
        return GS_SWAP(word, NULL);
    void *p = GS_LOAD(word);
    window();
    GS_STORE(word, NULL);
    return p;
}
static int retake(int victim, proc *p)
{
    void **word = &up.m[victim].userp;
    if (PLANT == RETAKE_ANY)
        return GS_LOAD(word) != NULL && GS_SWAP(word, NULL) != NULL;
    if (PLANT != RETAKE_WITHOUT_COMPARE)
        return gs_casptr(word, p, NULL);
    if (GS_LOAD(word) != p)
        return 0;
    window();
    GS_STORE(word, NULL);
    return 1;
}
static void publish(int id, proc *p)
{
    if (PLANT == PUBLISH_RELAXED)
        __atomic_store_n(&up.m[id].userp, p, __ATOMIC_RELAXED);
    else
        GS_PUBLISH(&up.m[id].userp, p);
}
static void put_idle(proc *p)
{
    gs_lock(&up.lock);
    gs_fifo_put(&up.idle, p);
    gs_unlock(&up.lock);
}
static proc *take_idle(void)
{
    gs_lock(&up.lock);
    proc *p = gs_fifo_take(&up.idle);
    gs_unlock(&up.lock);
    return p;
}
static void run_user_code(int id)
{
    proc *p = NULL;
    for (int calls = 0; calls < CALLS;) {
        if (p == NULL && (p = take_idle()) == NULL) {
            sched_yield();
            continue;
        }
        use(p, id);
        publish(id, p);
        loiter();
        proc *back = take_back(id);
        if (back != NULL && back != p)
            fail("an M got a P that is not its own");
        p = back;
        if (p != NULL)
            use(p, id);
        calls++;
        COUNT(&work, 1);
        if (p != NULL && roll() % 16 == 0) {
            put_idle(p);
            p = NULL;
        }
    }
    if (p != NULL)
        put_idle(p);
    COUNT(&up.running, -1);
}
static void userp_body(int id)
{
    if (id < MS) {
        run_user_code(id);
        return;
    }
    while (READ(&up.running) != 0) {
        int victim = (int)(roll() % MS);
        proc *p = &up.p[roll() % PS];
        if (READ(&up.m[victim].userp) == NULL) /* a hint, as in_user_code is */
            continue;
        if (retake(victim, p)) {
            use(p, id);
            put_idle(p);
        }
    }
}
static void userp(void)
{
    int turns = 0, tally = 0, seen[PS] = {0};
    memset(&up, 0, sizeof up);
    up.running = MS;
    for (int i = 0; i < PS; i++)
        gs_fifo_put(&up.idle, &up.p[i]);
    crew(MS + RETAKERS, userp_body);
    for (int i = 0; i < MS + RETAKERS; i++)
        tally += up.m[i].turns;
    for (proc *p; (p = gs_fifo_take(&up.idle)) != NULL;)
        seen[p - up.p]++;
    for (int i = 0; i < PS; i++) {
        turns += up.p[i].turns;
        if (seen[i] != 1)
            fail("P %d is there %d times at the end", i, seen[i]);
    }
    if (turns != tally)
        fail("%d turns on Ps, %d counted by their owners", turns, tally);
    gs_fifo_free(&up.idle);
}

/* ---- list: members come and leave from anywhere ---- */
#define MEMBERS 16
#define GUESTS 4
static struct { gs_mutex lock; gs_list list; gs_link link[GUESTS][MEMBERS]; } ls;

/* Lock held. */
static void walk_list(void)
{
    int64_t n = 0;
    gs_link *before = NULL;
    for (gs_link *x = ls.list.first; x != NULL; before = x, x = x->next, n++)
        if (x->prev != before || x->list != &ls.list)
            fail("the list is torn after %d", (int)n);
    if (ls.list.last != before || ls.list.len != n)
        fail("the list counts %d and has %d", (int)ls.list.len, (int)n);
}
static void list_body(int id)
{
    for (int i = 0; i < 400; i++) {
        gs_link *x = &ls.link[id][roll() % MEMBERS];
        int held = PLANT != REMOVE_WITHOUT_LOCK || x->list == NULL; /* list is written by this thread alone */
        int64_t len = GS_LOAD(&ls.list.len);
        if (len < 0 || len > GUESTS * MEMBERS)
            fail("the list seems to count %d", (int)len);
        if (held)
            gs_lock(&ls.lock);
        if (x->list == NULL) {
            x->list = &ls.list;
            gs_list_append(&ls.list, x);
        } else {
            gs_list_remove(&ls.list, x);
            x->list = NULL;
        }
        if (held && roll() % 16 == 0)
            walk_list();
        if (held)
            gs_unlock(&ls.lock);
        COUNT(&work, 1);
    }
}
static void list(void)
{
    memset(&ls, 0, sizeof ls);
    crew(GUESTS, list_body);
    walk_list();
    for (int i = 0; i < GUESTS; i++)
        for (int k = 0; k < MEMBERS; k++)
            if (ls.link[i][k].list != NULL)
                gs_list_remove(&ls.list, &ls.link[i][k]);
    if (ls.list.len != 0 || ls.list.first != NULL || ls.list.last != NULL)
        fail("the list is not empty when all have left");
}

/* ---- the table ---- */
static const struct { const char *name; void (*round)(void); } cases[] = {
    {"ring_steal", ring_steal}, {"ring_empty", ring_empty}, {"mutex", mutex}, {"spin", spin},
    {"note", note}, {"fifo", fifo}, {"park", park_case}, {"userp", userp}, {"list", list},
};
#define CASES (sizeof cases / sizeof *cases)

static int usage(void)
{
    fprintf(stderr, "harness CASE ROUNDS [SEED], CASE one of");
    for (size_t i = 0; i < CASES; i++)
        fprintf(stderr, " %s", cases[i].name);
    fprintf(stderr, "\n");
    return 2;
}
int main(int argc, char **argv)
{
    static const uint32_t noises[] = {15, 0, 63, 3};
    const char *patience = getenv("WATCHDOG_MS"), *plant = getenv("PLANT"), *limit = getenv("LIMIT_MS");
    size_t which = 0;
    if (argc < 3)
        return usage();
    while (which < CASES && strcmp(cases[which].name, argv[1]) != 0)
        which++;
    if (which == CASES)
        return usage();
    if (patience != NULL)
        patience_ms = atoi(patience);
    if (plant != NULL)
        chosen = atoi(plant);
    if (chosen < 0 || chosen >= PLANTS)
        return usage();
    case_name = argv[1];
    uint32_t i, rounds = (uint32_t)strtoul(argv[2], NULL, 10), seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1;
    int64_t end = limit == NULL ? INT64_MAX : gs_now() + (int64_t)atoi(limit) * 1000000;
    start_watchdog();
    for (i = 0; i < rounds && gs_now() < end; i++) {
        round_seed = seed + i;
        dice = (round_seed * 0x9E3779B1u) | 1;
        noise_mask = noises[i % 4];
        quiet_from = gs_now() + 15000000;
        cases[which].round();
    }
    printf("%s: %u rounds, %d steps, %d sleeps\n", case_name, i, READ(&work), READ(&sleeps));
    return 0;
}
