/* gosched: what happens, written down. events.py has the meaning of it, trail.py the same in Python.
 *
 * Plain C without Python.h, as native.h: tests/tsan runs it under ThreadSanitizer.
 *
 * A trail is a chain of pieces. It has one writer at a time, an M; a trail that several threads write has a lock. It has one reader at a time, whoever
 * holds the lock of its Trails (trail.pyx), on any thread:
 *
 *   writer    writes an event, then moves `len`; when a piece is full it links the next one behind it and never touches the old one again
 *   reader    reads `next`, then `len`: what lies below that is whole. It frees a piece only when another one is linked behind it
 * so neither ever waits for the other. The lock of a shared trail is the innermost of all: the scheduler's may be held, and nothing is taken under it.
 * Pieces that the reader does not free fast enough are limited by `limit`: then events are lost, and counted.
 *
 * A clock is read per event; in virtual time that is a word which the host sets.
 */
#ifndef GOSCHED_TRAIL_H
#define GOSCHED_TRAIL_H
#include "native.h"

#ifndef GS_PIECE /* the harness in tests/tsan has smaller ones */
#define GS_PIECE 65536
#endif
enum { GS_LONGEST = 1 + 4 * 10 };
enum { GS_BY = 1, GS_LOST = 2 }; /* events.py; trail.pyx checks that they still are */

typedef struct gs_piece {
    struct gs_piece *next;
    int64_t serial, begun;
    int32_t who, len;
    uint8_t data[GS_PIECE];
} gs_piece;

/* What the trails of one scheduler share. */
typedef struct gs_paper {
    int64_t held, limit; /* bytes in pieces */
    int64_t clock;       /* of virtual time; 0: the system's */
    gs_note bell;        /* rung when a piece is full */
} gs_paper;

typedef struct gs_trail {
    gs_paper *paper;
    gs_piece *first, *last; /* the reader's, the writer's */
    int64_t at, lost;
    int32_t who, shared;
    gs_mutex lock;
} gs_trail;

static inline uint8_t *gs_leb(uint8_t *to, uint64_t n)
{
    while (n >= 0x80) {
        *to++ = (uint8_t)n | 0x80;
        n >>= 7;
    }
    *to++ = (uint8_t)n;
    return to;
}

static inline int64_t gs_trail_now(gs_trail *t)
{
    int64_t virtual_ = GS_PEEK(&t->paper->clock);
    return virtual_ != 0 ? virtual_ : gs_now();
}

/* Another piece, if there may be one. */
static __attribute__((noinline, unused)) int gs_trail_turn(gs_trail *t, int64_t now, int32_t who)
{
    gs_piece *piece, *full = t->last;
    if (GS_ADD(&t->paper->held, (int64_t)sizeof(gs_piece)) > GS_PEEK(&t->paper->limit) || (piece = malloc(sizeof(gs_piece))) == NULL) {
        GS_ADD(&t->paper->held, -(int64_t)sizeof(gs_piece));
        gs_note_wake(&t->paper->bell);
        return 0;
    }
    piece->next = NULL;
    piece->serial = full == NULL ? 0 : full->serial + 1;
    piece->begun = t->at = now;
    piece->who = t->who = who;
    piece->len = 0;
    t->last = piece;
    if (full == NULL)
        GS_PUBLISH(&t->first, piece);
    else {
        GS_PUBLISH(&full->next, piece);
        gs_note_wake(&t->paper->bell);
    }
    return 1;
}

static inline void gs_trail_add(gs_trail *t, int64_t now, int kind, int n, uint64_t a, uint64_t b, uint64_t c)
{
    gs_piece *piece = t->last;
    uint8_t *begin = piece->data + piece->len, *to = begin;
    *to++ = (uint8_t)kind;
    to = gs_leb(to, now > t->at ? (uint64_t)(now - t->at) : 0);
    if (n > 0)
        to = gs_leb(to, a);
    if (n > 1)
        to = gs_leb(to, b);
    if (n > 2)
        to = gs_leb(to, c);
    if (now > t->at)
        t->at = now;
    GS_PUBLISH(&piece->len, piece->len + (int32_t)(to - begin));
}

static __attribute__((noinline, unused)) void gs_trail_tell(gs_trail *t, int32_t who, int kind, int n, uint64_t a, uint64_t b, uint64_t c)
{
    int64_t now;
    if (t->shared)
        gs_lock(&t->lock);
    now = gs_trail_now(t);
    if (t->last == NULL || t->last->len + 3 * GS_LONGEST > GS_PIECE || t->lost != 0) {
        if ((t->last == NULL || t->last->len + 3 * GS_LONGEST > GS_PIECE) && !gs_trail_turn(t, now, who)) {
            GS_BUMP(&t->lost);
            goto done;
        }
        if (t->lost != 0) {
            gs_trail_add(t, now, GS_LOST, 1, (uint64_t)t->lost, 0, 0);
            GS_SET(&t->lost, 0);
        }
    }
    if (t->who != who) {
        t->who = who;
        gs_trail_add(t, now, GS_BY, 1, (uint64_t)who, 0, 0);
    }
    gs_trail_add(t, now, kind, n, a, b, c);
done:
    if (t->shared)
        gs_unlock(&t->lock);
}

/* By the reader: frees what is before that piece, but for the last one. */
static inline void gs_trail_drop(gs_trail *t, int64_t serial)
{
    gs_piece *piece = GS_LOAD(&t->first), *next;
    while (piece != NULL && piece->serial < serial && (next = GS_LOAD(&piece->next)) != NULL) {
        GS_STORE(&t->first, next);
        free(piece);
        GS_ADD(&t->paper->held, -(int64_t)sizeof(gs_piece));
        piece = next;
    }
}

/* When nobody writes or reads it any more. */
static inline void gs_trail_free(gs_trail *t)
{
    gs_piece *piece = t->first, *next;
    for (; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
        GS_ADD(&t->paper->held, -(int64_t)sizeof(gs_piece));
    }
    t->first = t->last = NULL;
}
#endif
