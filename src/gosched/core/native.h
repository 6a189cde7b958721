/* gosched: the words that threads share.
 *
 * Plain C without Python.h, so that tests/tsan can compile it alone under ThreadSanitizer. native.pyx wraps each piece in the base class of a
 * scheduler object; native.py is the same in Python, line for line where there is a race, and that is the text the interleaving explorer checks.
 *
 *   gs_mutex   spin, then sleep in the kernel. A leaf: its holder calls no Python, drops no reference and takes no second mutex.
 *   gs_spin    the same for a handful of instructions; never sleeps in the kernel.
 *   gs_note    one-shot event of one sleeper. clear by the owner, then wake by anybody, watch and sleep by the owner. The owner says that it is in
 *              the kernel, by a compare-and-swap that fails if it was woken meanwhile: who wakes it before that needs no system call.
 *   gs_ring    a P's run queue. tail and slots: written by the owner alone; head: moved by compare-and-swap, by owner and thieves; next: swapped.
 *   gs_fifo    growable queue of pointers; its user holds a mutex. len may be read without it.
 *
 * A pointer in a ring or fifo stands for the runtime's one reference to that goroutine: it is moved, never counted.
 */
#ifndef GOSCHED_NATIVE_H
#define GOSCHED_NATIVE_H
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#define GS_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define GS_PAUSE() __asm__ volatile("yield")
#else
#define GS_PAUSE() ((void)0)
#endif

/* The wake-up protocol pairs "store mine, then read yours" on different words, so words are sequentially consistent. GS_PUBLISH is not: it only
 * orders what came before it, and whoever must see it before reading on needs an atomic read-modify-write or GS_FENCE in between. */
#define GS_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define GS_LOAD(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define GS_PEEK(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define GS_STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
#define GS_PUBLISH(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define GS_SWAP(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
/* A counter with one writer, which others may read at any time. */
#define GS_BUMP(p) __atomic_store_n((p), __atomic_load_n((p), __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED)
#define GS_SET(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define GS_ADD(p, v) __atomic_add_fetch((p), (v), __ATOMIC_SEQ_CST)
static inline int gs_cas32(int32_t *word, int32_t old, int32_t new_)
{
    return __atomic_compare_exchange_n(word, &old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static inline int gs_casptr(void **word, void *old, void *new_)
{
    return __atomic_compare_exchange_n(word, &old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline int gs_cas64(int64_t *word, int64_t old, int64_t new_)
{
    return __atomic_compare_exchange_n(word, &old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline int64_t gs_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void gs_nap(int64_t ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    nanosleep(&t, NULL);
}

/* ---- sleeping in the kernel: a futex on Linux, elsewhere one process-wide condition variable per bucket ---- */
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static inline void gs_kernel_wait(int32_t *word, int32_t seen, int64_t ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, ns < 0 ? NULL : &t, NULL, 0);
}
static inline void gs_kernel_wake(int32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
#else
#define GS_BUCKETS 64
static struct { pthread_mutex_t m; pthread_cond_t c; } gs_bucket[GS_BUCKETS];
static pthread_once_t gs_bucket_once = PTHREAD_ONCE_INIT;
static void gs_bucket_init(void)
{
    for (int i = 0; i < GS_BUCKETS; i++) {
        pthread_mutex_init(&gs_bucket[i].m, NULL);
        pthread_cond_init(&gs_bucket[i].c, NULL);
    }
}
static inline int gs_bucket_of(int32_t *word) { return (int)(((uintptr_t)word >> 6) % GS_BUCKETS); }
static inline void gs_kernel_wait(int32_t *word, int32_t seen, int64_t ns)
{
    pthread_once(&gs_bucket_once, gs_bucket_init);
    int b = gs_bucket_of(word);
    pthread_mutex_lock(&gs_bucket[b].m);
    if (GS_LOAD(word) == seen) {
        if (ns < 0) {
            pthread_cond_wait(&gs_bucket[b].c, &gs_bucket[b].m);
        } else {
            struct timespec t;
            clock_gettime(CLOCK_REALTIME, &t);
            int64_t end = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + ns;
            t.tv_sec = end / 1000000000;
            t.tv_nsec = end % 1000000000;
            pthread_cond_timedwait(&gs_bucket[b].c, &gs_bucket[b].m, &t);
        }
    }
    pthread_mutex_unlock(&gs_bucket[b].m);
}
static inline void gs_kernel_wake(int32_t *word)
{
    pthread_once(&gs_bucket_once, gs_bucket_init);
    int b = gs_bucket_of(word);
    pthread_mutex_lock(&gs_bucket[b].m);
    pthread_cond_broadcast(&gs_bucket[b].c);
    pthread_mutex_unlock(&gs_bucket[b].m);
}
#endif

/* ---- mutex: 0 free, 1 held, 2 held and somebody may sleep ---- */
typedef struct { int32_t word; } gs_mutex;

static void gs_lock_slow(gs_mutex *m)
{
    for (int i = 0; i < 100; i++) {
        GS_PAUSE();
        if (GS_PEEK(&m->word) == 0 && gs_cas32(&m->word, 0, 1))
            return;
    }
    while (GS_SWAP(&m->word, 2) != 0)
        gs_kernel_wait(&m->word, 2, -1);
}
static inline void gs_lock(gs_mutex *m)
{
    if (!gs_cas32(&m->word, 0, 1))
        gs_lock_slow(m);
}
static inline void gs_unlock(gs_mutex *m)
{
    if (GS_SWAP(&m->word, 0) == 2)
        gs_kernel_wake(&m->word);
}

/* ---- spin lock: for a handful of instructions, where unlocking must not cost a second atomic instruction ---- */
typedef struct { int32_t word; } gs_spin;

static void gs_spin_slow(gs_spin *s)
{
    for (int i = 1;; i++) {
        GS_PAUSE();
        if (GS_PEEK(&s->word) == 0 && GS_SWAP(&s->word, 1) == 0)
            return;
        if (i % 100 == 0)
            sched_yield(); /* its holder may have lost its core */
    }
}
static inline void gs_spin_lock(gs_spin *s)
{
    if (GS_SWAP(&s->word, 1) != 0)
        gs_spin_slow(s);
}
static inline void gs_spin_unlock(gs_spin *s) { GS_PUBLISH(&s->word, 0); }

/* ---- note ---- */
#define GS_ASLEEP (-1)
typedef struct { int32_t word; } gs_note; /* 0; 1: woken; GS_ASLEEP: its owner is in the kernel, or has been since it was cleared */

static inline void gs_note_clear(gs_note *n) { GS_STORE(&n->word, 0); }
static inline void gs_note_wake(gs_note *n)
{
    if (GS_SWAP(&n->word, 1) == GS_ASLEEP)
        gs_kernel_wake(&n->word);
}
/* Without sleeping, for at most ns. True if woken. Who is to wake it may wait for this very core: that goes first. */
static inline int gs_note_watch(gs_note *n, int64_t ns)
{
    int64_t until = gs_now() + ns;
    do {
        for (int i = 0; i < 64; i++) {
            if (GS_LOAD(&n->word) == 1)
                return 1;
            GS_PAUSE();
        }
        sched_yield();
    } while (gs_now() < until);
    return 0;
}
/* One wait of at most ns (< 0: no limit); a signal ends it too. True if woken. */
static inline int gs_note_doze(gs_note *n, int64_t ns)
{
    gs_cas32(&n->word, 0, GS_ASLEEP);
    if (GS_LOAD(&n->word) == GS_ASLEEP)
        gs_kernel_wait(&n->word, GS_ASLEEP, ns);
    return GS_LOAD(&n->word) == 1;
}
/* Until woken, or until the clock reads `until` (< 0: for ever). True if woken. */
static inline int gs_note_sleep(gs_note *n, int64_t until)
{
    int64_t left = -1;
    while (GS_LOAD(&n->word) != 1) {
        if (until >= 0 && (left = until - gs_now()) <= 0)
            return 0;
        gs_note_doze(n, left);
    }
    return 1;
}

/* ---- fifo ---- */
typedef struct { void **slots; uint32_t cap, head; uint32_t len; } gs_fifo;

static inline void gs_fifo_free(gs_fifo *q) { free(q->slots); memset(q, 0, sizeof *q); }
static inline uint32_t gs_fifo_len(gs_fifo *q) { return GS_LOAD(&q->len); }
/* False when memory is exhausted. */
static int gs_fifo_resize(gs_fifo *q, uint32_t cap)
{
    void **slots = (void **)malloc(cap * sizeof *slots);
    if (!slots)
        return 0;
    for (uint32_t i = 0; i < q->len; i++)
        slots[i] = q->slots[(q->head + i) & (q->cap - 1)];
    free(q->slots);
    q->slots = slots;
    q->cap = cap;
    q->head = 0;
    return 1;
}
/* Room for `more`: as many puts cannot fail then. */
static int gs_fifo_reserve(gs_fifo *q, uint32_t more)
{
    uint32_t cap = q->cap ? q->cap : 64;
    while (cap - q->len < more)
        cap *= 2;
    return cap == q->cap || gs_fifo_resize(q, cap);
}
static inline int gs_fifo_put(gs_fifo *q, void *g)
{
    if (q->len == q->cap && !gs_fifo_reserve(q, 1))
        return 0;
    q->slots[(q->head + q->len) & (q->cap - 1)] = g;
    GS_PUBLISH(&q->len, q->len + 1);
    return 1;
}
static inline int gs_fifo_put_front(gs_fifo *q, void *g)
{
    if (q->len == q->cap && !gs_fifo_reserve(q, 1))
        return 0;
    q->head = (q->head - 1) & (q->cap - 1);
    q->slots[q->head] = g;
    GS_PUBLISH(&q->len, q->len + 1);
    return 1;
}
/* The i-th from its head, which stays. Nobody else touches it meanwhile. */
static inline void *gs_fifo_at(gs_fifo *q, uint32_t i) { return i < q->len ? q->slots[(q->head + i) & (q->cap - 1)] : NULL; }
static inline void *gs_fifo_take(gs_fifo *q)
{
    if (q->len == 0)
        return NULL;
    void *g = q->slots[q->head];
    q->head = (q->head + 1) & (q->cap - 1);
    GS_PUBLISH(&q->len, q->len - 1);
    if (q->cap > 4096 && q->len < q->cap / 8)
        gs_fifo_resize(q, q->cap / 4); /* memory of a burst goes back */
    return g;
}

/* ---- ring ---- */
typedef struct {
    uint32_t head, tail;
    void *next;
    uint32_t cap;
    void **slots;
} gs_ring;

static inline int gs_ring_init(gs_ring *r, uint32_t cap)
{
    memset(r, 0, sizeof *r);
    r->cap = cap;
    r->slots = (void **)calloc(cap, sizeof *r->slots);
    return r->slots != NULL;
}
static inline void gs_ring_free(gs_ring *r) { free(r->slots); r->slots = NULL; }
static inline void **gs_ring_slot(gs_ring *r, uint32_t i) { return &r->slots[i & (r->cap - 1)]; }
static inline int gs_cas_head(gs_ring *r, uint32_t old, uint32_t new_)
{
    return __atomic_compare_exchange_n(&r->head, &old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
/* The i-th from its head, which stays. Nobody else touches the ring meanwhile. */
static inline void *gs_ring_at(gs_ring *r, uint32_t i) { return i < r->tail - r->head ? *gs_ring_slot(r, r->head + i) : NULL; }
/* Owner. False: the ring is full. Publishes only: a wake-up that relies on this push needs a fence behind it (a swap of `next` is one). */
static inline int gs_ring_push(gs_ring *r, void *g)
{
    uint32_t t = r->tail;
    if (t - GS_LOAD(&r->head) >= r->cap)
        return 0;
    __atomic_store_n(gs_ring_slot(r, t), g, __ATOMIC_RELAXED);
    GS_PUBLISH(&r->tail, t + 1); /* the slot is visible before the tail that covers it */
    return 1;
}
/* Owner. The oldest, or NULL. */
static inline void *gs_ring_pop(gs_ring *r)
{
    for (;;) {
        uint32_t h = GS_LOAD(&r->head), t = r->tail;
        if (t == h)
            return NULL;
        void *g = GS_PEEK(gs_ring_slot(r, h));
        if (gs_cas_head(r, h, h + 1)) /* a thief may have taken this one */
            return g;
    }
}
/* Owner. Half a full ring into `out`; 0 if a thief made room meanwhile. */
static inline uint32_t gs_ring_pop_half(gs_ring *r, void **out)
{
    uint32_t h = GS_LOAD(&r->head), n = r->cap / 2;
    if (r->tail - h < r->cap)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        out[i] = GS_PEEK(gs_ring_slot(r, h + i));
    return gs_cas_head(r, h, h + n) ? n : 0;
}
static inline uint32_t gs_ring_size(gs_ring *r)
{
    for (;;) {
        uint32_t h = GS_LOAD(&r->head), t = GS_LOAD(&r->tail);
        if (t - h <= r->cap)
            return t - h;
    }
}
/* Never reports a queue as empty while a kick-out moves its goroutine from `next` to the tail: read tail again. */
static inline int gs_ring_empty(gs_ring *r)
{
    for (;;) {
        uint32_t h = GS_LOAD(&r->head), t = GS_LOAD(&r->tail);
        void *next = GS_LOAD(&r->next);
        if (t == GS_LOAD(&r->tail))
            return h == t && next == NULL;
    }
}
/* Thief, whose own ring is empty: that share of the victim's queue, rounded up, into own slots past the tail; the newest of them is returned, the
 * others are published. */
enum { GS_WHOLE = 256 }; /* states.py has the same */
static inline void *gs_ring_steal(gs_ring *r, gs_ring *victim, uint32_t share, uint32_t *taken)
{
    for (;;) {
        uint32_t h = GS_LOAD(&victim->head), n = GS_LOAD(&victim->tail) - h, t = r->tail;
        if (n == 0)
            return NULL;
        if (n > victim->cap)
            continue; /* head and tail are not of one moment */
        n = (n * share + GS_WHOLE - 1) / GS_WHOLE;
        for (uint32_t i = 0; i < n; i++)
            __atomic_store_n(gs_ring_slot(r, t + i), GS_PEEK(gs_ring_slot(victim, h + i)), __ATOMIC_RELAXED);
        if (!gs_cas_head(victim, h, h + n))
            continue; /* the owner or another thief has some of these */
        *taken = n;
        void *g = *gs_ring_slot(r, t + n - 1);
        GS_PUBLISH(&r->tail, t + n - 1);
        return g;
    }
}
static inline void *gs_ring_swap_next(gs_ring *r, void *g) { return GS_SWAP(&r->next, g); }
/* Owner or thief. */
static inline void *gs_ring_take_next(gs_ring *r)
{
    void *g = GS_LOAD(&r->next);
    return g != NULL && gs_casptr(&r->next, g, NULL) ? g : NULL;
}

/* ---- list: all goroutines of a P, the waiters of a channel. Doubly linked, so that any member can leave; its user holds a mutex ---- */
typedef struct gs_link { struct gs_link *prev, *next; void *list; } gs_link;
typedef struct { gs_link *first, *last; int64_t len; } gs_list;

static inline void gs_list_append(gs_list *l, gs_link *x)
{
    x->prev = l->last;
    x->next = NULL;
    if (l->last)
        l->last->next = x;
    else
        l->first = x;
    l->last = x;
    GS_PUBLISH(&l->len, l->len + 1);
}
static inline void gs_list_prepend(gs_list *l, gs_link *x)
{
    x->prev = NULL;
    x->next = l->first;
    if (l->first)
        l->first->prev = x;
    else
        l->last = x;
    l->first = x;
    GS_PUBLISH(&l->len, l->len + 1);
}
static inline void gs_list_remove(gs_list *l, gs_link *x)
{
    if (x->prev)
        x->prev->next = x->next;
    else
        l->first = x->next;
    if (x->next)
        x->next->prev = x->prev;
    else
        l->last = x->prev;
    GS_PUBLISH(&l->len, l->len - 1);
}

/* ---- timers of a P: an array for a heap. What is moved up or down is decided in timers.py; its user holds a mutex ---- */
typedef struct { int64_t when, number; void *timer; } gs_entry;
typedef struct { gs_entry *entries; uint32_t cap; uint32_t len; int64_t numbers; } gs_heap;

static inline int gs_heap_push(gs_heap *h, int64_t when, void *timer)
{
    if (h->len == h->cap) {
        uint32_t cap = h->cap ? h->cap * 2 : 16;
        gs_entry *entries = (gs_entry *)realloc(h->entries, cap * sizeof *entries);
        if (!entries)
            return 0;
        h->entries = entries;
        h->cap = cap;
    }
    h->entries[h->len] = (gs_entry){when, ++h->numbers, timer};
    GS_PUBLISH(&h->len, h->len + 1);
    return 1;
}
static inline void *gs_heap_pop(gs_heap *h)
{
    void *timer = h->entries[h->len - 1].timer;
    GS_PUBLISH(&h->len, h->len - 1);
    if (h->cap > 1024 && h->len < h->cap / 8) { /* memory of a burst goes back */
        gs_entry *entries = (gs_entry *)realloc(h->entries, h->cap / 4 * sizeof *entries);
        if (entries) {
            h->entries = entries;
            h->cap /= 4;
        }
    }
    return timer;
}
static inline int gs_heap_before(gs_heap *h, uint32_t i, uint32_t j)
{
    gs_entry *a = &h->entries[i], *b = &h->entries[j];
    return a->when < b->when || (a->when == b->when && a->number < b->number);
}
static inline void gs_heap_swap(gs_heap *h, uint32_t i, uint32_t j)
{
    gs_entry x = h->entries[i];
    h->entries[i] = h->entries[j];
    h->entries[j] = x;
}
#endif
