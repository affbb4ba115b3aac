/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: the process is killed before the KILL_AT-th call that changes
   files (0: never). The number of such calls is written to the file KILL_LOG at
   the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long calls;

static void count(void) {
  const char *at = getenv("KILL_AT");
  if (++calls == (at ? atol(at) : 0))
    kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("KILL_LOG");
  FILE *log = path ? fopen(path, "w") : NULL;
  if (log) {
    fprintf(log, "%ld", calls);
    fclose(log);
  }
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *data, size_t bytes) {
  count();
  return NEXT(write)(file, data, bytes);
}
ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
  count();
  return NEXT(pwrite)(file, data, bytes, offset);
}
int fsync(int file) {
  count();
  return NEXT(fsync)(file);
}
int rename(const char *from, const char *to) {
  count();
  return NEXT(rename)(from, to);
}
int unlink(const char *path) {
  count();
  return NEXT(unlink)(path);
}
int remove(const char *path) {
  count();
  return NEXT(remove)(path);
}
int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (flags & (O_WRONLY | O_RDWR | O_CREAT))
    count();
  return NEXT(open)(path, flags, mode);
}
