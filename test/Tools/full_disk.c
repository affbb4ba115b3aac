/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: once regular files have taken FULL_DISK_AFTER bytes, the disk is
   full. Counts for one process; a child starts anew. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static size_t written;

static size_t left(void) {
  const char *text = getenv("FULL_DISK_AFTER");
  size_t limit = text ? strtoull(text, NULL, 10) : -1;
  return written < limit ? limit - written : 0;
}

ssize_t write(int file, const void *data, size_t bytes) {
  static ssize_t (*next)(int, const void *, size_t);
  if (!next)
    next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    if (bytes > left()) {
      errno = ENOSPC;
      return -1;
    }
    written += bytes;
  }
  return next(file, data, bytes);
}

int statfs(const char *path, struct statfs *info) {
  static int (*next)(const char *, struct statfs *);
  if (!next)
    next = (int (*)(const char *, struct statfs *))dlsym(RTLD_NEXT, "statfs");
  int result = next(path, info);
  info->f_bsize = info->f_frsize = 1;
  info->f_bavail = left();
  return result;
}
