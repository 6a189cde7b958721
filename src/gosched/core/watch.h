/* gosched: how sysmon looks, without the GIL and without a Python object.
 *
 * Every P has an eye, every M with a thread of its own a pulse; the scheduler's gs_watch links them. A look compares with the look before:
 *
 *   a P whose M is in user code, in the same turn           stands still, since when
 *   ... and whose thread is detached from the interpreter   is blocked in a call, seen so often
 *   a P in the same slice                                   has used it up, after slice ns: `over`
 *
 * What has become worse since the last look is left in eye->stage, with eye->news, for who acts (sysmon.py). Eyes are never freed while the
 * scheduler lives. A pulse is, with its thread: it joins and leaves under `lock`, which a look holds; an eye whose `driver` is gone is told then.
 * Ticks are written by their owners, with plain stores that are whole; a look that reads an old one looks again in a moment.
 *
 * On a build with the GIL, "waits for the GIL" looks like "blocked". If a thread of ours is attached at that moment it may well be the former, and
 * does not count.
 *
 * Looks are 20 us apart at first, then ever rarer: up to cap_ns while somebody stands still, and GS_EASY times that while every P moves on between two
 * looks. A wake-up costs 20 to 30 us of CPU on a virtual machine, so a thousand in a second would be 2 % of a core.
 *
 * Who has lost its P is not looked at any more. If it was asked to let others run, and the question got lost, it is asked again: a slice later, and then
 * ever more rarely (again_at). Only sysmon writes that.
 *
 * Deep sleep: all Ps are idle. Sysmon sets `asleep`, then reads `idle` again; whoever takes a P has counted `idle` down, then reads `asleep`.
 *
 * `moment` is a coarse clock, for who must not read a real one: every look sets it. It stands still while sysmon sleeps deeply, so who rouses sysmon sets
 * it first: another one that then finds sysmon awake reads no older time.
 */
#ifndef GOSCHED_WATCH_H
#define GOSCHED_WATCH_H
#include "native.h"
#ifndef GS_WITH_GIL /* the harness in tests/tsan has its own */
#include "attached.h"
#endif

enum { GS_FINE, GS_BLOCKED, GS_LATE, GS_VERY_LATE };
#define GS_MOMENT(ns) ((int32_t)((ns) >> 24)) /* 17 ms; goes round once in two years */
#define GS_POLL_NS 10000000 /* after so long without a look at the netpoller sysmon looks itself */
enum { GS_OVER, GS_NEWS, GS_TRACE, GS_POLL_NOW, GS_AGAIN };
enum { GS_QUICK_ROUNDS = 50, GS_EASY = 4, GS_RARELY = 64 };

typedef struct gs_pulse {
    void *userp;      /* the P, while its M runs user code */
    void *thread;     /* its PyThreadState, while it has one of its own */
    int32_t marked;   /* in blocking(): as good as detached */
    struct gs_pulse *prev, *next;
} gs_pulse;

typedef struct gs_eye {
    void *p;
    int64_t usertick, schedtick;
    int32_t over;
    gs_pulse *driver;
    struct gs_eye *next;
    /* notes of the last look */
    int64_t tick, since, slice, slice_since;
    int32_t stage, news, detached;
} gs_eye;

typedef struct gs_watch {
    gs_mutex lock;
    gs_eye *eyes;
    gs_pulse *pulses;
    gs_note note;
    int32_t asleep, procs, ends, calm, idle_looks, busy, still, moment;
    int64_t slice_ns, late_ns, cap_ns, delay, trace_ns, trace_at, again_ns, again_at;
} gs_watch;

static inline void gs_watch_eye(gs_watch *w, gs_eye *e, void *p)
{
    e->p = p;
    gs_lock(&w->lock);
    e->next = w->eyes;
    w->eyes = e;
    gs_unlock(&w->lock);
}

static inline void gs_watch_stamp(gs_watch *w, int64_t now) { GS_SET(&w->moment, GS_MOMENT(now)); }

static inline void gs_pulse_join(gs_watch *w, gs_pulse *m, void *thread)
{
    gs_watch_stamp(w, gs_now()); /* the first one: sysmon may not have looked yet */
    gs_lock(&w->lock);
    m->thread = thread;
    m->prev = NULL;
    m->next = w->pulses;
    if (w->pulses != NULL)
        w->pulses->prev = m;
    w->pulses = m;
    gs_unlock(&w->lock);
}

static inline void gs_pulse_leave(gs_watch *w, gs_pulse *m)
{
    gs_lock(&w->lock);
    for (gs_eye *e = w->eyes; e != NULL; e = e->next)
        gs_casptr((void **)&e->driver, m, NULL); /* another M may have just taken that P */
    if (m->thread != NULL) {
        if (m->prev != NULL)
            m->prev->next = m->next;
        else
            w->pulses = m->next;
        if (m->next != NULL)
            m->next->prev = m->prev;
        m->thread = NULL;
    }
    gs_unlock(&w->lock);
}

/* Lock held. */
static inline int gs_seen_detached(gs_watch *w, gs_pulse *m)
{
    if (GS_PEEK(&m->marked))
        return 2;
    if (m->thread == NULL || gs_attached(m->thread))
        return 0;
    if (GS_WITH_GIL)
        for (gs_pulse *other = w->pulses; other != NULL; other = other->next)
            if (gs_attached(other->thread))
                return 0;
    return 1;
}

/* Lock held. Returns whether it has become worse with this P. */
static inline int gs_look_at(gs_watch *w, gs_eye *e, int64_t now)
{
    gs_pulse *m = GS_LOAD(&e->driver);
    int in_user_code = m != NULL && GS_LOAD(&m->userp) == e->p; /* before the ticks: they move before it is published */
    int64_t tick = GS_PEEK(&e->usertick), slice = GS_PEEK(&e->schedtick);
    int32_t stage = GS_FINE;
    w->busy += in_user_code;
    if (slice != e->slice) {
        e->slice = slice;
        e->slice_since = now;
    }
    else if (now - e->slice_since >= w->slice_ns)
        GS_STORE(&e->over, 1);
    if (!in_user_code || tick != e->tick) {
        e->tick = tick;
        e->since = now;
        e->detached = e->stage = 0;
        return 0;
    }
    int seen = gs_seen_detached(w, m);
    w->still = 1;
    e->detached = seen ? e->detached + seen : 0;
    if (now - e->since >= w->late_ns + w->slice_ns)
        stage = GS_VERY_LATE;
    else if (now - e->since >= w->late_ns)
        stage = GS_LATE;
    else if (e->detached >= 2)
        stage = GS_BLOCKED;
    if (stage >= GS_LATE && e->detached == 1)
        e->detached = 2; /* this look came late itself: there will be no second one in time */
    if (stage <= e->stage)
        return 0;
    e->stage = stage;
    e->news = 1;
    return 1;
}

static inline int gs_look(gs_watch *w, int64_t now)
{
    int worse = 0;
    gs_lock(&w->lock);
    w->busy = w->still = 0;
    for (gs_eye *e = w->eyes; e != NULL; e = e->next)
        worse += gs_look_at(w, e, now);
    gs_unlock(&w->lock);
    return worse;
}

static inline void gs_watch_wake(gs_watch *w) { gs_note_wake(&w->note); }

/* For who has just taken an idle P. */
static inline void gs_watch_rouse(gs_watch *w)
{
    if (GS_LOAD(&w->asleep)) {
        gs_watch_stamp(w, gs_now());
        if (gs_cas32(&w->asleep, 1, 0))
            gs_watch_wake(w);
    }
}

static inline void gs_watch_sleep(gs_watch *w, int32_t *idle)
{
    GS_STORE(&w->asleep, 1);
    if (GS_LOAD(idle) >= GS_LOAD(&w->procs) && !GS_LOAD(&w->ends))
        gs_note_sleep(&w->note, w->again_at != 0 ? w->again_at : -1);
    GS_STORE(&w->asleep, 0);
    w->idle_looks = 0;
}

/* By sysmon: somebody who has lost its P was asked for the first time, or again. */
static inline void gs_watch_remind(gs_watch *w, int first)
{
    w->again_ns = first ? w->slice_ns : 2 * w->again_ns < GS_RARELY * w->slice_ns ? 2 * w->again_ns : GS_RARELY * w->slice_ns;
    if (w->again_at == 0)
        w->again_at = gs_now() + w->again_ns;
}

/* In how many ns the next look is due. */
static inline int64_t gs_watch_pause(gs_watch *w)
{
    int64_t cap = w->still ? w->cap_ns : GS_EASY * w->cap_ns;
    if (w->calm < GS_QUICK_ROUNDS) {
        w->calm++;
        w->delay = 20000;
    }
    else
        w->delay = 2 * w->delay < cap ? 2 * w->delay : cap;
    return w->delay;
}

/* Looks until there is something to act on. */
/* last_poll, waiters: when somebody last looked at the netpoller, 0 while somebody waits there; how many wait for it. */
static inline int gs_keep_watch(gs_watch *w, int32_t *idle, int64_t *last_poll, int64_t *waiters)
{
    for (;;) {
        int64_t now;
        gs_note_clear(&w->note);
        if (GS_LOAD(&w->ends))
            return GS_OVER;
        gs_note_sleep(&w->note, gs_now() + gs_watch_pause(w));
        if (GS_LOAD(&w->ends))
            return GS_OVER;
        now = gs_now();
        gs_watch_stamp(w, now);
        if (gs_look(w, now))
            return GS_NEWS;
        if (w->again_at != 0 && now >= w->again_at) {
            w->again_at = 0;
            return GS_AGAIN;
        }
        if (GS_LOAD(waiters) != 0 && GS_LOAD(last_poll) != 0 && GS_LOAD(last_poll) + GS_POLL_NS < now)
            return GS_POLL_NOW;
        if (w->trace_ns != 0) {
            if (now >= w->trace_at) {
                w->trace_at = now + w->trace_ns;
                return GS_TRACE;
            }
        }
        else if (GS_LOAD(idle) < GS_LOAD(&w->procs) || w->busy)
            w->idle_looks = 0;
        else if (++w->idle_looks >= 2)
            gs_watch_sleep(w, idle);
    }
}
#endif
