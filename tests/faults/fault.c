/* Lets the n-th change of a folder fail: a write, rename, sync, removal, or a file or folder made.

   Loaded before the C library (LD_PRELOAD). Only files below the watched folder count. When it is
   their turn they fail with EIO or ENOSPC, or the process ends at once, as if it were killed.
   Nothing is removed for lack of space, so that removals do not fail with ENOSPC. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
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

/* A path, or a name in an open folder. */
static int is_watched_at(int folder, const char *path) {
    if (!path || path[0] == '/' || folder == AT_FDCWD) return is_watched(path);
    return is_watched_file(folder);
}

/* Count a change; say whether it is to fail. */
static int fails(int is_removal) {
    long now = __sync_add_and_fetch(&seen, 1);
    if (!failing || now < failing || (now > failing && !lasting)) return 0;
    if (!code) _exit(77);
    if (is_removal && code == ENOSPC) return 0;
    errno = code;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define CHANGES_FILE(result, name, given, passed)                   \
    result name given {                                             \
        if (is_watched_file(file) && fails(0)) return -1;           \
        return NEXT(name) passed;                                   \
    }

CHANGES_FILE(ssize_t, write, (int file, const void *bytes, size_t n), (file, bytes, n))
CHANGES_FILE(ssize_t, pwrite, (int file, const void *bytes, size_t n, off_t at), (file, bytes, n, at))
CHANGES_FILE(ssize_t, pwrite64, (int file, const void *bytes, size_t n, off64_t at), (file, bytes, n, at))
CHANGES_FILE(ssize_t, writev, (int file, const struct iovec *parts, int n), (file, parts, n))
CHANGES_FILE(ssize_t, sendfile, (int file, int from, off_t *at, size_t n), (file, from, at, n))
CHANGES_FILE(ssize_t, sendfile64, (int file, int from, off64_t *at, size_t n), (file, from, at, n))
CHANGES_FILE(int, ftruncate, (int file, off_t size), (file, size))
CHANGES_FILE(int, ftruncate64, (int file, off64_t size), (file, size))
CHANGES_FILE(int, fsync, (int file), (file))
CHANGES_FILE(int, fdatasync, (int file), (file))

ssize_t copy_file_range(int from, off64_t *a, int file, off64_t *b, size_t n, unsigned int how) {
    if (is_watched_file(file) && fails(0)) return -1;
    return NEXT(copy_file_range)(from, a, file, b, n, how);
}

#define CHANGES_PATH(name, given, passed, is_removal)               \
    int name given {                                                \
        if (is_watched(path) && fails(is_removal)) return -1;       \
        return NEXT(name) passed;                                   \
    }

CHANGES_PATH(rename, (const char *from, const char *path), (from, path), 0)
CHANGES_PATH(renameat, (int a, const char *from, int b, const char *path), (a, from, b, path), 0)
CHANGES_PATH(renameat2, (int a, const char *from, int b, const char *path, unsigned int how),
             (a, from, b, path, how), 0)
CHANGES_PATH(unlink, (const char *path), (path), 1)
CHANGES_PATH(rmdir, (const char *path), (path), 1)
CHANGES_PATH(mkdir, (const char *path, mode_t mode), (path, mode), 0)

int unlinkat(int folder, const char *path, int how) {
    if (is_watched_at(folder, path) && fails(1)) return -1;
    return NEXT(unlinkat)(folder, path, how);
}

/* A file that is opened may be made. */
#define OPENS(name, folder, given, passed)                                    \
    int name given {                                                          \
        mode_t mode = 0;                                                      \
        if (flags & O_CREAT) {                                                \
            va_list rest;                                                     \
            va_start(rest, flags);                                            \
            mode = va_arg(rest, mode_t);                                      \
            va_end(rest);                                                     \
            if (is_watched_at(folder, path) && fails(0)) return -1;           \
        }                                                                     \
        return NEXT(name) passed;                                             \
    }

OPENS(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, folder, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, folder, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
