/* Stress of native.h, watch.h and trail.h under ThreadSanitizer: real threads, no Python.
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
 * Both are included as they are, with noise: each of their atomic operations first rolls dice and may give up the processor, so that two
 * cores show the interleavings of many. What noise cannot show is a processor that reorders: ThreadSanitizer's atomics are full barriers.
 *
 * -DPLANT=n plants bug n, below. Each is one thing gone wrong, in a function that stands in for one of theirs or in the way it is used,
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
    DOZE_IS_WAKE,             /* note: a doze, likewise */
    WATCH_IS_WAKE,            /* note: a look without the kernel, likewise */
    ASLEEP_BY_STORE,          /* note: not woken yet, then stored as asleep, over a wake that came meanwhile */
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
    PREPEND_FORGETS_LAST,     /* list: the first of all is not the last as well */
    POP_TIMER_WITHOUT_LOCK,   /* heap */
    TIMERS_STAY,              /* heap: the memory of a burst does not go back */
    TIES_IN_ANY_ORDER,        /* heap: of two that are due at the same time it does not matter which came first */
    HINT_BY_STORE,            /* heap: the hint is read, then overwritten, whatever somebody else left meanwhile */
    LOOK_WITHOUT_LOCK,        /* watch */
    JOIN_WITHOUT_LOCK,        /* watch */
    LEAVE_WITHOUT_LOCK,       /* watch */
    LEAVE_KEEPS_DRIVER,       /* watch: an eye looks on at a pulse that is gone */
    LEAVE_KEEPS_LINK,         /* watch: it stays among the pulses */
    LEAVE_WITHOUT_COMPARE,    /* watch: seen as the driver, then emptied, whoever drives meanwhile */
    TURN_WITHOUT_TICK,        /* watch: a new turn looks like the one before */
    TICK_PLAIN,               /* watch: the tick is counted as any int */
    SINCE_OUTLIVES_TURN,      /* watch: a look that sees another turn does not begin to count anew */
    ROUSE_TOO_EARLY,          /* rouse: asleep is read, then idle counted down */
    ROUSE_WITHOUT_NOTE,       /* rouse: the word is taken back, the sleeper sleeps on */
    SLEEP_READS_IDLE_ONCE,    /* rouse: all Ps were idle before asleep said so, and that is good enough */
    SLEEP_CLEARS_NOTE,        /* rouse: cleared after somebody may have woken it */
    END_WITHOUT_WAKE,         /* rouse */
    WRITERS_WITHOUT_LOCK,     /* trail: two threads write one that is not shared */
    DROPS_THE_LAST,           /* trail: the reader frees the piece that is written to */
    LENGTH_BEFORE_NEXT,       /* trail: the reader takes a piece for full by what it knew of it before */
    NO_LIMIT,                 /* trail: pieces are made, whether anybody reads them or not */
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
        return gs_ring_steal(r, victim, GS_WHOLE / 2, taken);
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
    else if (PLANT == WAKE_RELAXED && __atomic_exchange_n(&n->word, 1, __ATOMIC_RELAXED) == GS_ASLEEP)
        gs_kernel_wake(&n->word);
    else if (PLANT != WAKE_RELAXED)
        gs_note_wake(n);
}
static int note_sleep(gs_note *n, int64_t until)
{
    int woken = gs_note_sleep(n, until);
    return PLANT == TIMEOUT_IS_WAKE ? 1 : woken;
}
/* As a thread does that must look after signals: woken, or at most ns. */
static int note_doze(gs_note *n, int64_t ns)
{
    if (PLANT == ASLEEP_BY_STORE && GS_LOAD(&n->word) == 0) {
        window();
        GS_STORE(&n->word, GS_ASLEEP);
    }
    int woken = gs_note_doze(n, ns);
    return PLANT == DOZE_IS_WAKE ? 1 : woken;
}
static int note_watch(gs_note *n, int64_t ns)
{
    int woken = gs_note_watch(n, ns);
    return PLANT == WATCH_IS_WAKE ? 1 : woken;
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
        if (roll() % 4 == 0 && note_watch(n, roll() % 20000))
            return;
        if (roll() % 4 == 0 && note_doze(n, until < 0 ? -1 : (int64_t)(roll() % 60000)))
            return;
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
static void list_add(gs_list *l, gs_link *x)
{
    if (roll() % 2)
        gs_list_append(l, x);
    else if (PLANT != PREPEND_FORGETS_LAST || l->first != NULL)
        gs_list_prepend(l, x);
    else {
        x->prev = x->next = NULL;
        l->first = x;
        GS_PUBLISH(&l->len, l->len + 1);
    }
}
/* The one that was last to come stands where it was put. */
static void list_order(void)
{
    gs_list l = {0};
    gs_link x[8];
    for (int i = 3; i >= 0; i--) {
        gs_list_prepend(&l, &x[i]);
        gs_list_append(&l, &x[7 - i]);
    }
    for (int i = 0; i < 8; i++) {
        if (l.first != &x[i])
            fail("%d is not where it was put", i);
        gs_list_remove(&l, l.first);
    }
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
            list_add(&ls.list, x);
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
    list_order();
}

/* ---- heap: timers come out in their order, and the earliest of all hints is kept ---- */
#define RINGERS 4
#define BELLS 120
#define ARITY 4
#define NOON ((int64_t)1 << 40)
typedef struct { int64_t when; int order; int32_t rung; } bell;
static struct {
    bell bells[RINGERS][BELLS];
    gs_mutex lock;
    gs_heap heap;
    int pushed;               /* under the lock */
    int64_t first;            /* likewise: the earliest hint that was taken */
    int64_t modified;         /* the earliest that was not; 0: none */
    int64_t earliest[RINGERS];
} hp;

static int before(gs_heap *h, uint32_t i, uint32_t k)
{
    return PLANT == TIES_IN_ANY_ORDER ? h->entries[i].when < h->entries[k].when : gs_heap_before(h, i, k);
}
/* Lock held. See timers.py. */
static void heap_put(gs_heap *h, bell *b)
{
    b->order = ++hp.pushed;
    if (!gs_heap_push(h, b->when, b))
        fail("no memory");
    for (uint32_t i = h->len - 1, parent; i > 0 && before(h, i, parent = (i - 1) / ARITY); i = parent)
        gs_heap_swap(h, i, parent);
}
static bell *heap_last(gs_heap *h)
{
    if (PLANT != TIMERS_STAY)
        return gs_heap_pop(h);
    bell *b = h->entries[h->len - 1].timer;
    GS_PUBLISH(&h->len, h->len - 1);
    return b;
}
static bell *heap_take(gs_heap *h)
{
    gs_heap_swap(h, 0, h->len - 1);
    bell *b = heap_last(h);
    for (uint32_t i = 0, best; (best = i * ARITY + 1) < h->len; i = best) {
        for (uint32_t k = best + 1; k < h->len && k <= i * ARITY + ARITY; k++)
            if (before(h, k, best))
                best = k;
        if (!before(h, best, i))
            break;
        gs_heap_swap(h, best, i);
    }
    return b;
}
static void ring_some(uint32_t n)
{
    bell *last = NULL;
    for (; n && GS_LOAD(&hp.heap.len) != 0; n--) {
        bell *b = heap_take(&hp.heap);
        if (COUNT(&b->rung, 1) != 1)
            fail("a timer fires twice");
        if (last != NULL && (b->when < last->when || (b->when == last->when && b->order < last->order)))
            fail("timer %d fires after timer %d", b->order, last->order);
        last = b;
        COUNT(&work, 1);
    }
}
static void hint(int64_t when)
{
    for (;;) {
        int64_t old = GS_LOAD(&hp.modified);
        if (old != 0 && old <= when)
            return;
        if (PLANT == HINT_BY_STORE) {
            window();
            GS_STORE(&hp.modified, when);
            return;
        }
        if (gs_cas64(&hp.modified, old, when))
            return;
    }
}
/* Lock held. */
static void take_hint(void)
{
    int64_t when = GS_SWAP(&hp.modified, 0);
    if (when != 0 && (hp.first == 0 || when < hp.first))
        hp.first = when;
}
static void heap_body(int id)
{
    for (int i = 0; i < BELLS; i++) {
        bell *b = &hp.bells[id][i];
        int64_t when = NOON - ((int64_t)i << 24) - roll() % 4; /* ever earlier: who comes late with a hint is in the way of a newer one */
        b->when = NOON + roll() % 16;
        gs_lock(&hp.lock);
        heap_put(&hp.heap, b);
        gs_unlock(&hp.lock);
        hint(when);
        if (hp.earliest[id] == 0 || when < hp.earliest[id])
            hp.earliest[id] = when;
        if (GS_LOAD(&hp.heap.len) > RINGERS * BELLS)
            fail("the heap seems to have %u", GS_LOAD(&hp.heap.len));
        if (roll() % 4 != 0)
            continue;
        if (PLANT != POP_TIMER_WITHOUT_LOCK)
            gs_lock(&hp.lock);
        if (roll() % 8 == 0)
            take_hint();
        ring_some(roll() % 6);
        if (PLANT != POP_TIMER_WITHOUT_LOCK)
            gs_unlock(&hp.lock);
    }
}
static void heap(void)
{
    static bell stale;
    int64_t earliest = NOON;
    memset(&hp, 0, sizeof hp);
    crew(RINGERS, heap_body);
    ring_some(UINT32_MAX);
    for (int i = 0; i < RINGERS; i++) {
        earliest = hp.earliest[i] < earliest ? hp.earliest[i] : earliest;
        for (int k = 0; k < BELLS; k++)
            if (hp.bells[i][k].rung != 1)
                fail("a timer is lost");
    }
    take_hint();
    if (hp.first != earliest)
        fail("the earliest hint is lost, by %lld ns", (long long)(hp.first - earliest));
    for (int i = 0; i < 5000; i++)
        heap_put(&hp.heap, &stale);
    uint32_t widest = hp.heap.cap;
    while (hp.heap.len != 0)
        if (heap_last(&hp.heap) != &stale)
            fail("a timer was lost in the burst");
    if (widest < 5000 || hp.heap.cap > 1024)
        fail("memory stays: %u entries in the burst, %u after it", widest, hp.heap.cap);
    free(hp.heap.entries);
}

/* ---- watch: sysmon looks at Ms that come, drive and leave, with their memory ---- */
#define EYES 3
#define DRIVERS 3
#define LIVES 12
#define HERE 0x600D
#define GONE 0x5A
typedef struct { int here; int32_t attached; } thread_state;
static int with_gil;
#define GS_WITH_GIL with_gil
static int gs_attached(void *thread)
{
    thread_state *t = thread;
    if (t->here != HERE)
        fail("a look at a thread that is gone");
    return READ(&t->attached);
}
#include "watch.h"

typedef struct {
    gs_eye eye;
    int64_t began[8];  /* by turn: when it began, and whether it blocks */
    int32_t blocks[8];
} place;
typedef struct { gs_pulse pulse; thread_state thread; } driver;
static struct {
    gs_watch watch;
    place places[EYES];
    gs_mutex lock;
    gs_fifo idle;
    int64_t noted[EYES]; /* by who looks: when the look was over that began to count */
    int32_t driving;
} wt;

static int look(gs_watch *w, int64_t now)
{
    int worse = 0;
    if (PLANT != LOOK_WITHOUT_LOCK && PLANT != SINCE_OUTLIVES_TURN)
        return gs_look(w, now);
    if (PLANT != LOOK_WITHOUT_LOCK)
        gs_lock(&w->lock);
    for (gs_eye *e = w->eyes; e != NULL; e = e->next) {
        int64_t since = e->since;
        worse += gs_look_at(w, e, now);
        if (PLANT == SINCE_OUTLIVES_TURN && since != 0)
            e->since = since;
    }
    if (PLANT != LOOK_WITHOUT_LOCK)
        gs_unlock(&w->lock);
    return worse;
}
static void join(gs_watch *w, gs_pulse *m, void *thread)
{
    if (PLANT != JOIN_WITHOUT_LOCK) {
        gs_pulse_join(w, m, thread);
        return;
    }
    m->thread = thread;
    m->next = w->pulses;
    if (w->pulses != NULL)
        w->pulses->prev = m;
    w->pulses = m;
}
static void forget_driver(gs_eye *e, gs_pulse *m)
{
    if (PLANT == LEAVE_WITHOUT_COMPARE && GS_LOAD(&e->driver) == m) {
        window();
        GS_STORE(&e->driver, NULL);
    } else if (PLANT != LEAVE_WITHOUT_COMPARE && PLANT != LEAVE_KEEPS_DRIVER) {
        gs_casptr((void **)&e->driver, m, NULL);
    }
}
static void leave(gs_watch *w, gs_pulse *m)
{
    if (PLANT < LEAVE_WITHOUT_LOCK || PLANT > LEAVE_WITHOUT_COMPARE) {
        gs_pulse_leave(w, m);
        return;
    }
    if (PLANT != LEAVE_WITHOUT_LOCK)
        gs_lock(&w->lock);
    for (gs_eye *e = w->eyes; e != NULL; e = e->next)
        forget_driver(e, m);
    if (PLANT != LEAVE_KEEPS_LINK) {
        if (m->prev != NULL)
            m->prev->next = m->next;
        else
            w->pulses = m->next;
        if (m->next != NULL)
            m->next->prev = m->prev;
    }
    if (PLANT != LEAVE_WITHOUT_LOCK)
        gs_unlock(&w->lock);
}
static place *take_place(void)
{
    gs_lock(&wt.lock);
    place *p = gs_fifo_take(&wt.idle);
    gs_unlock(&wt.lock);
    return p;
}
static void put_place(place *p)
{
    gs_lock(&wt.lock);
    gs_fifo_put(&wt.idle, p);
    gs_unlock(&wt.lock);
}
static void drive_turn(driver *m, place *p)
{
    int blocks = roll() % 2, ticks = PLANT != TURN_WITHOUT_TICK || roll() % 4 == 0;
    int64_t turn = p->eye.usertick + ticks;
    if (roll() % 2) {
        GS_BUMP(&p->eye.schedtick);
        GS_SET(&p->eye.over, 0);
    }
    WRITE(&p->blocks[turn % 8], blocks);
    WRITE(&p->began[turn % 8], gs_now());
    if (PLANT == TICK_PLAIN)
        ++*(volatile int64_t *)&p->eye.usertick;
    else if (ticks)
        GS_BUMP(&p->eye.usertick);
    GS_PUBLISH(&m->pulse.userp, p);
    int32_t *word = roll() % 2 ? &m->thread.attached : &m->pulse.marked, old = READ(word);
    if (blocks)
        WRITE(word, !old);
    for (uint32_t i = roll() % 4; i; i--)
        loiter();
    WRITE(word, old);
    if (GS_SWAP(&m->pulse.userp, NULL) != p)
        fail("somebody has taken a P");
    if (GS_LOAD(&p->eye.driver) != &m->pulse)
        fail("the eye does not know who drives its P");
    COUNT(&work, 1);
}
/* As run_m: it drives before it joins, and what it drove last it leaves as it is. */
static void drive(void)
{
    driver *m = calloc(1, sizeof *m);
    int joined = 0;
    if (m == NULL)
        fail("no memory");
    m->thread = (thread_state){HERE, 1};
    for (uint32_t stints = 1 + roll() % 4; stints; stints--) {
        place *p = take_place();
        if (p != NULL)
            GS_STORE(&p->eye.driver, &m->pulse);
        if (!joined)
            join(&wt.watch, &m->pulse, &m->thread);
        joined = 1;
        if (p == NULL) {
            sched_yield();
            continue;
        }
        for (uint32_t turns = roll() % 4; turns; turns--)
            drive_turn(m, p);
        put_place(p);
    }
    leave(&wt.watch, &m->pulse);
    memset(m, GONE, sizeof *m);
    free(m);
}
/* Of what a look says, sysmon acts on what still is so: then it has to be true. */
static void check_claims(int64_t now)
{
    gs_lock(&wt.watch.lock);
    for (gs_eye *e = wt.watch.eyes; e != NULL; e = e->next) {
        place *p = e->p;
        int i = (int)(p - wt.places);
        if (e->since == now)
            wt.noted[i] = gs_now();
        int64_t began = READ(&p->began[e->tick % 8]);
        int blocks = READ(&p->blocks[e->tick % 8]);
        gs_pulse *m = GS_LOAD(&e->driver);
        if (GS_SWAP(&e->news, 0) == 0 || m == NULL || GS_LOAD(&m->userp) != p || GS_LOAD(&e->usertick) != e->tick)
            continue;
        if (began > wt.noted[i])
            fail("turn %d was seen to stand still before it began", (int)e->tick);
        if (e->stage == GS_BLOCKED && !blocks)
            fail("turn %d does not block", (int)e->tick);
    }
    gs_unlock(&wt.watch.lock);
}
static void watch_body(int id)
{
    if (id == 0) {
        while (READ(&wt.driving) != 0) {
            int64_t now = gs_now();
            look(&wt.watch, now);
            check_claims(now);
        }
        return;
    }
    for (int i = id - 1; i < EYES; i += DRIVERS) {
        loiter();
        gs_watch_eye(&wt.watch, &wt.places[i].eye, &wt.places[i]);
        put_place(&wt.places[i]);
    }
    for (int i = 0; i < LIVES; i++)
        drive();
    COUNT(&wt.driving, -1);
}

/* What looks say while nobody but the table does anything. */
enum { TURN = 1, SLICE = 2, INSIDE = 4, DETACHED = 8, MARKED = 16, CROWD = 32 };
static const struct { int what, ns, stage, worse, over; } looks[] = {
    {TURN | SLICE, 10, GS_FINE, 0, 0},
    {0, 99, GS_FINE, 0, 0},
    {0, 1, GS_FINE, 0, 1},
    {DETACHED, 10, GS_FINE, 0, 1},
    {DETACHED, 10, GS_BLOCKED, 1, 1},
    {DETACHED, 10, GS_BLOCKED, 0, 1},
    {0, 869, GS_BLOCKED, 0, 1},
    {0, 1, GS_LATE, 1, 1},
    {0, 99, GS_LATE, 0, 1},
    {0, 1, GS_VERY_LATE, 1, 1},
    {DETACHED, 5000, GS_VERY_LATE, 0, 1},
    {TURN, 1, GS_FINE, 0, 1},
    {MARKED, 10, GS_BLOCKED, 1, 1},
    {TURN | SLICE, 5000, GS_FINE, 0, 0}, /* since the look that saw the turn first, however late that was */
    {INSIDE, 5000, GS_FINE, 0, 1}, /* a slice ends for such, too, that are never seen in their code */
    {0, 999, GS_FINE, 0, 1},
    {0, 1, GS_LATE, 1, 1},
    {INSIDE, 1, GS_FINE, 0, 1},
    {DETACHED, 1, GS_FINE, 0, 1},
    {0, 1, GS_FINE, 0, 1},
    {DETACHED, 1, GS_FINE, 0, 1}, /* twice, but not in a row */
    {TURN | DETACHED, 1, GS_FINE, 0, 1},
    {DETACHED | CROWD, 1, GS_FINE, 0, 1},
    {DETACHED | CROWD, 1, -1, -1, 1}, /* with a GIL, it may be what this one waits for */
    {DETACHED, 1200, GS_VERY_LATE, 1, 1},
    {TURN | SLICE | MARKED, 1, GS_FINE, 0, 0},
};
static void stand_still(void)
{
    gs_watch w = {.slice_ns = 100, .late_ns = 1000};
    gs_eye e = {0};
    driver m = {.thread = {HERE, 1}}, other = {.thread = {HERE, 0}};
    int64_t now = 1;
    gs_watch_eye(&w, &e, &m);
    GS_STORE(&e.driver, &m.pulse);
    gs_pulse_join(&w, &m.pulse, &m.thread);
    gs_pulse_join(&w, &other.pulse, &other.thread);
    for (int i = 0; i < (int)(sizeof looks / sizeof *looks); i++) {
        int what = looks[i].what, stage = looks[i].stage, worse = looks[i].worse;
        if (stage < 0)
            worse = (stage = with_gil ? GS_FINE : GS_BLOCKED) != GS_FINE;
        if (what & TURN)
            GS_BUMP(&e.usertick);
        if (what & SLICE) {
            GS_BUMP(&e.schedtick);
            GS_SET(&e.over, 0);
        }
        m.pulse.userp = what & INSIDE ? NULL : &m;
        m.pulse.marked = (what & MARKED) != 0;
        m.thread.attached = !(what & DETACHED);
        other.thread.attached = (what & CROWD) != 0;
        now += looks[i].ns;
        int said = look(&w, now);
        if (said != worse || GS_SWAP(&e.news, 0) != worse || e.stage != stage || e.over != looks[i].over)
            fail("look %d: worse %d, stage %d, over %d", i, said, e.stage, e.over);
    }
    gs_pulse_leave(&w, &m.pulse);
    if (e.driver != NULL || w.pulses != &other.pulse || look(&w, now + 5000) || e.stage != GS_FINE)
        fail("who has left is looked at");
    gs_pulse_leave(&w, &m.pulse);
    gs_pulse_leave(&w, &other.pulse);
    if (w.pulses != NULL)
        fail("who has left is still there");
}
static void watch(void)
{
    memset(&wt, 0, sizeof wt);
    with_gil = round_seed % 2;
    wt.watch.slice_ns = wt.watch.late_ns = 2000;
    wt.driving = DRIVERS;
    crew(1 + DRIVERS, watch_body);
    for (int i = 0; i < EYES; i++)
        if (wt.places[i].eye.driver != NULL)
            fail("an eye knows a driver when all have left");
    if (wt.watch.pulses != NULL || gs_fifo_len(&wt.idle) != EYES)
        fail("there is a pulse, or %u Ps, when all have left", gs_fifo_len(&wt.idle));
    gs_fifo_free(&wt.idle);
    stand_still();
}

/* ---- rouse: sysmon sleeps while all Ps are idle, and not while one stands still ---- */
#define WORKERS 2
#define SHIFTS 8
typedef struct { gs_eye eye; int64_t noticed; } post;
static struct {
    gs_watch watch;
    post posts[2];
    gs_pulse pulse[WORKERS];
    int32_t idle;
    int64_t last_poll, net_waiters;
    gs_mutex lock;
    gs_fifo free;
    int32_t working;
} ro;

static void deep_sleep(gs_watch *w)
{
    if (PLANT == SLEEP_READS_IDLE_ONCE)
        window();
    GS_STORE(&w->asleep, 1);
    if (PLANT == SLEEP_READS_IDLE_ONCE || (GS_LOAD(&ro.idle) >= GS_LOAD(&w->procs) && !GS_LOAD(&w->ends))) {
        if (PLANT == SLEEP_CLEARS_NOTE) {
            window();
            gs_note_clear(&w->note);
        }
        gs_note_sleep(&w->note, -1);
    }
    GS_STORE(&w->asleep, 0);
    w->idle_looks = 0;
}
static int keep_watch(gs_watch *w)
{
    if (PLANT != SLEEP_READS_IDLE_ONCE && PLANT != SLEEP_CLEARS_NOTE)
        return gs_keep_watch(w, &ro.idle, &ro.last_poll, &ro.net_waiters);
    for (;;) {
        gs_note_clear(&w->note);
        if (GS_LOAD(&w->ends))
            return GS_OVER;
        gs_note_sleep(&w->note, gs_now() + 20000);
        if (GS_LOAD(&w->ends))
            return GS_OVER;
        if (gs_look(w, gs_now()))
            return GS_NEWS;
        if (GS_LOAD(&ro.idle) < GS_LOAD(&w->procs))
            w->idle_looks = 0;
        else if (++w->idle_looks >= 2)
            deep_sleep(w);
    }
}
static void stand_watch(void)
{
    int found;
    while ((found = keep_watch(&ro.watch)) != GS_OVER) {
        if (found != GS_NEWS)
            fail("sysmon comes back with %d", found);
        for (gs_eye *e = ro.watch.eyes; e != NULL; e = e->next)
            if (GS_SWAP(&e->news, 0) && e->stage != GS_FINE)
                WRITE(&((post *)e->p)->noticed, e->tick);
    }
    if (!READ(&ro.watch.ends))
        fail("sysmon ends before its time");
}
static void call_sysmon(gs_watch *w)
{
    if (PLANT != ROUSE_WITHOUT_NOTE)
        gs_watch_rouse(w);
    else if (GS_LOAD(&w->asleep))
        gs_cas32(&w->asleep, 1, 0);
}
static post *take_post(int id)
{
    if (PLANT == ROUSE_TOO_EARLY) {
        call_sysmon(&ro.watch);
        window();
    }
    gs_lock(&ro.lock);
    post *p = gs_fifo_take(&ro.free);
    if (p != NULL)
        GS_ADD(&ro.idle, -1);
    gs_unlock(&ro.lock);
    if (p == NULL)
        return NULL;
    GS_STORE(&p->eye.driver, &ro.pulse[id]);
    if (PLANT != ROUSE_TOO_EARLY)
        call_sysmon(&ro.watch);
    return p;
}
static void put_post(post *p)
{
    gs_lock(&ro.lock);
    gs_fifo_put(&ro.free, p);
    GS_ADD(&ro.idle, 1);
    gs_unlock(&ro.lock);
}
static void work_shift(int id, post *p)
{
    GS_BUMP(&p->eye.schedtick);
    GS_BUMP(&p->eye.usertick);
    GS_PUBLISH(&ro.pulse[id].userp, p);
    if (roll() % 4 == 0)
        loiter();
    else
        while (READ(&p->noticed) != p->eye.usertick) /* nobody else does anything: without sysmon it stays so */
            gs_nap(20000);
    GS_SWAP(&ro.pulse[id].userp, NULL);
}
static void rouse_body(int id)
{
    if (id == WORKERS) {
        stand_watch();
        return;
    }
    for (int i = 0; i < SHIFTS;) {
        post *p = take_post(id);
        if (p != NULL) {
            work_shift(id, p);
            put_post(p);
            COUNT(&work, 1);
            i++;
        }
        for (uint32_t naps = roll() % 8; naps && !READ(&ro.watch.asleep); naps--)
            gs_nap(roll() % 60000);
        loiter();
    }
    if (COUNT(&ro.working, -1) == 0) {
        GS_STORE(&ro.watch.ends, 1);
        if (PLANT != END_WITHOUT_WAKE)
            gs_watch_wake(&ro.watch);
    }
}
static void rouse(void)
{
    int posts = 1 + (int)(roll() % 2);
    memset(&ro, 0, sizeof ro);
    ro.watch.slice_ns = ro.watch.late_ns = 10000;
    ro.watch.cap_ns = 20000 << roll() % 3;
    ro.watch.calm = (int)(roll() % (2 * GS_QUICK_ROUNDS));
    ro.watch.procs = ro.idle = posts;
    ro.working = WORKERS;
    for (int i = 0; i < posts; i++) {
        gs_watch_eye(&ro.watch, &ro.posts[i].eye, &ro.posts[i]);
        gs_fifo_put(&ro.free, &ro.posts[i]);
    }
    crew(WORKERS + 1, rouse_body);
    if (ro.idle != posts || ro.watch.asleep)
        fail("%d Ps are idle of %d, asleep is %d", ro.idle, posts, ro.watch.asleep);
    if (READ(&work) >= 300 && READ(&sleeps) == 0)
        fail("sysmon never slept: nothing was tried");
    ro.watch.trace_ns = 1;
    ro.watch.ends = 0;
    if (gs_keep_watch(&ro.watch, &ro.idle, &ro.last_poll, &ro.net_waiters) != GS_TRACE)
        fail("sysmon does not come back for its line");
    ro.watch.ends = 1;
    if (gs_keep_watch(&ro.watch, &ro.idle, &ro.last_poll, &ro.net_waiters) != GS_OVER)
        fail("sysmon looks on when it has ended");
    gs_fifo_free(&ro.free);
}

/* ---- trail: two trails, one of a single writer, one of two; a reader that keeps up, or not: what is neither read nor counted as lost is missing ---- */
#define GS_PIECE 512
#include "trail.h"
#define TOLD 400
#define PIECES 6
static struct {
    gs_paper paper;
    gs_trail trail[2];
    int64_t read[3], lost[3], last[3];
    int32_t writing;
} tr;

static uint64_t trail_number(const uint8_t **at)
{
    uint64_t n = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        n |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return n;
    }
}
/* Events have kind 10 + writer and one arg, which counts up. */
static void trail_decode(int which, gs_piece *piece, int32_t n, int32_t *who)
{
    const uint8_t *at = piece->data, *end = piece->data + n;
    while (at < end) {
        int kind = *at++;
        trail_number(&at);
        int64_t value = (int64_t)trail_number(&at);
        if (kind == GS_BY)
            *who = (int32_t)value;
        else if (kind == GS_LOST)
            tr.lost[which] += value;
        else if (kind != 10 + *who)
            fail("an event of kind %d by writer %d", kind, *who);
        else if (value <= tr.last[*who])
            fail("writer %d told %d after %d", *who, (int)value, (int)tr.last[*who]);
        else {
            tr.last[*who] = value;
            tr.read[which]++;
        }
    }
    if (at != end)
        fail("half an event");
}
/* Full pieces, which are freed then; at the end the last one, too. */
static void trail_read(int which, int rest)
{
    gs_trail *t = &tr.trail[which];
    gs_piece *piece = GS_LOAD(&t->first), *next;
    while (piece != NULL) {
        int32_t n = GS_LOAD(&piece->len), who = piece->who;
        if (PLANT == LENGTH_BEFORE_NEXT)
            window();
        next = GS_LOAD(&piece->next);
        if (PLANT != LENGTH_BEFORE_NEXT)
            n = GS_LOAD(&piece->len);
        if (next == NULL && !rest) {
            if (PLANT == DROPS_THE_LAST && n > 0) {
                GS_STORE(&t->first, NULL);
                free(piece);
            }
            return;
        }
        trail_decode(which, piece, n, &who);
        if (next != NULL)
            gs_trail_drop(t, piece->serial + 1);
        piece = next;
    }
}
static void trail_body(int id)
{
    if (id == 3) {
        while (READ(&tr.writing) != 0) {
            for (int i = 0; i < 2; i++)
                trail_read(i, 0);
            if (roll() % 8 == 0)
                sched_yield();
            if (GS_LOAD(&tr.paper.held) > (int64_t)((PIECES + 3) * sizeof(gs_piece))) /* each writer counts before it asks */
                fail("%d bytes in pieces", (int)GS_LOAD(&tr.paper.held));
            COUNT(&work, 1);
        }
        return;
    }
    gs_trail *t = &tr.trail[id != 0];
    for (int i = 1; i <= TOLD; i++) {
        gs_trail_tell(t, id, 10 + id, 1, (uint64_t)i, 0, 0);
        COUNT(&work, 1);
    }
    COUNT(&tr.writing, -1);
}
static void trail(void)
{
    memset(&tr, 0, sizeof tr);
    tr.writing = 3;
    tr.paper.limit = PLANT == NO_LIMIT ? INT64_MAX : (int64_t)(PIECES * sizeof(gs_piece));
    for (int i = 0; i < 2; i++)
        tr.trail[i].paper = &tr.paper;
    tr.trail[1].shared = PLANT != WRITERS_WITHOUT_LOCK;
    crew(4, trail_body);
    for (int i = 0; i < 2; i++) {
        trail_read(i, 1);
        if (tr.read[i] + tr.lost[i] + tr.trail[i].lost != (1 + i) * TOLD)
            fail("trail %d: %d events were read and %d lost, of %d", i, (int)tr.read[i], (int)(tr.lost[i] + tr.trail[i].lost), (1 + i) * TOLD);
        gs_trail_free(&tr.trail[i]);
    }
    if (tr.paper.held != 0)
        fail("%d bytes are not given back", (int)tr.paper.held);
}

/* ---- the table ---- */
static const struct { const char *name; void (*round)(void); } cases[] = {
    {"ring_steal", ring_steal}, {"ring_empty", ring_empty}, {"mutex", mutex}, {"spin", spin},
    {"note", note}, {"fifo", fifo}, {"park", park_case}, {"userp", userp}, {"list", list},
    {"heap", heap}, {"watch", watch}, {"rouse", rouse}, {"trail", trail},
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
