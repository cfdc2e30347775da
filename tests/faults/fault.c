/* Lets the n-th change of a folder fail: a write, rename, fsync, mkdir, unlink or open for writing.

   Loaded before the C library (LD_PRELOAD). Only files below the watched folder count. When it is
   their turn they fail with EIO or ENOSPC, or the process ends at once, as if it were killed. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char watched[4096];
static long failing, seen; /* which change fails, from 1 on (0 for none), and how many there were */
static int code;           /* the error, or 0 to end the process */
static int lasting;        /* whether all changes after it fail as well, as on a full disk */

void fault_set(const char *folder, long n, int error, int is_lasting) {
    snprintf(watched, sizeof watched, "%s", folder);
    seen = 0;
    code = error;
    lasting = is_lasting;
    failing = n;
}

long fault_seen(void) { return seen; }

static int is_watched(const char *path) {
    return watched[0] && path && strncmp(path, watched, strlen(watched)) == 0;
}

static int is_watched_file(int file) {
    char link[64], path[4096];
    if (!watched[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_watched(path);
}

/* Count a change; say whether it is to fail. */
static int fails(void) {
    long now = __sync_add_and_fetch(&seen, 1);
    if (!failing || now < failing || (now > failing && !lasting)) return 0;
    if (!code) _exit(77);
    errno = code;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t n) {
    if (is_watched_file(file) && fails()) return -1;
    return NEXT(write)(file, bytes, n);
}
ssize_t pwrite(int file, const void *bytes, size_t n, off_t place) {
    if (is_watched_file(file) && fails()) return -1;
    return NEXT(pwrite)(file, bytes, n, place);
}
ssize_t pwrite64(int file, const void *bytes, size_t n, off64_t place) {
    if (is_watched_file(file) && fails()) return -1;
    return NEXT(pwrite64)(file, bytes, n, place);
}
ssize_t writev(int file, const struct iovec *parts, int n) {
    if (is_watched_file(file) && fails()) return -1;
    return NEXT(writev)(file, parts, n);
}
int fsync(int file) {
    if (is_watched_file(file) && fails()) return -1;
    return NEXT(fsync)(file);
}
int fdatasync(int file) {
    if (is_watched_file(file) && fails()) return -1;
    return NEXT(fdatasync)(file);
}
int rename(const char *from, const char *to) {
    if (is_watched(to) && fails()) return -1;
    return NEXT(rename)(from, to);
}
int renameat(int a, const char *from, int b, const char *to) {
    if (is_watched(to) && fails()) return -1;
    return NEXT(renameat)(a, from, b, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned int how) {
    if (is_watched(to) && fails()) return -1;
    return NEXT(renameat2)(a, from, b, to, how);
}
int unlink(const char *path) {
    if (is_watched(path) && fails()) return -1;
    return NEXT(unlink)(path);
}
int mkdir(const char *path, mode_t mode) {
    if (is_watched(path) && fails()) return -1;
    return NEXT(mkdir)(path, mode);
}
