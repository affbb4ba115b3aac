/*===- GlooTransport.h - bytes between ranks, by Gloo -------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* What libprec-rt-gloo.so gives the runtime, which opens it when ranks are   *|
|* connected. It is a library of its own, as whoever trains in one process    *|
|* needs neither Gloo nor what that needs; and in C, as the runtime may have  *|
|* a C++ library of its own.                                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_RT_GLOO_GLOOTRANSPORT_H
#define PREC_RT_GLOO_GLOOTRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PREC_GLOO_LIBRARY "libprec-rt-gloo.so"
#define PREC_GLOO_SYMBOL "prec_gloo_v1"

/* Values that all ranks see. Both return 0, or fail for a reason that the store
   keeps. What `get` gives is freed by free(). */
typedef struct prec_gloo_store {
  int (*set)(void *user, const char *key, const char *bytes, size_t size);
  int (*get)(void *user, const char *key, char **bytes, size_t *size);
  void *user;
} prec_gloo_store;

/* What goes to a rank, and where what it sends is to be. */
typedef struct prec_gloo_part {
  const void *send;
  void *receive;
} prec_gloo_part;

/* Why a call failed. */
typedef struct prec_gloo_failure {
  int32_t rank;      /* that was waited for, or -1 */
  int32_t timed_out; /* 1 if it did not come in time */
  char message[512];
} prec_gloo_failure;

typedef struct prec_gloo_functions {
  /* Connects all ranks to each other, from the address `host` of this one. NULL
     if that fails. */
  void *(*connect)(int32_t rank, int32_t size, const char *host,
                   int64_t timeout_ms, const prec_gloo_store *store,
                   prec_gloo_failure *failure);
  /* Sends `bytes` bytes to each other rank, and receives as many: `parts` is by
     rank; that of this rank is not read, and ranks without a place to receive
     at take no part. `number` is of this exchange alone,
     on all ranks. A rank may be silent for `timeout_ms`. Returns 0 where all is
     sent and received. */
  int (*exchange)(void *connection, uint64_t number,
                  const prec_gloo_part *parts, size_t bytes, int64_t timeout_ms,
                  prec_gloo_failure *failure);
  /* Ends exchanges that run on any thread, and lets those to come fail. */
  void (*abort)(void *connection);
  void (*close)(void *connection);
} prec_gloo_functions;

typedef const prec_gloo_functions *(*prec_gloo_query)(void);

#ifdef __cplusplus
}
#endif

#endif /* PREC_RT_GLOO_GLOOTRANSPORT_H */
