// A library for LD_PRELOAD: makes one chosen call of a program on files below a folder fail, or all from there on.
//
//   TEXELSCOPE_FAULT          KIND:NUMBER, a kind of those below, and which of the calls that it can befall, from 1; 0: none
//   TEXELSCOPE_FAULT_FOLDER   whose files are meant, absolute
//   TEXELSCOPE_FAULT_STATE    a file of zeros; then has how many calls the fault befell, and how many each kind could have
//                             befallen, as eight bytes each
//   TEXELSCOPE_FAULT_UNNAMED  0: as on a file system that has no files without a name (O_TMPFILE)
//   TEXELSCOPE_FAULT_LOG      a file that every change is added to, a line each
//
// Calls are counted over all processes of a run, in a file that they share. So a run can be repeated, as far as the program
// does the same in the same order.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// What a call does. A kind of fault befalls some of them.
enum {
    OPENS = 1, ///< opens for writing, makes a file
    WRITES = 2,
    SYNCS = 4,
    SIZES = 8,    ///< ftruncate, fallocate
    NAMES = 16,   ///< makes or changes a name: rename, link, mkdir
    REMOVES = 32, ///< takes a name away
    CLOSES = 64,  ///< of what was open for writing
    MAPS = 128,   ///< mmap of a file
    READS = 256,
    CHANGES = OPENS | WRITES | SYNCS | SIZES | NAMES | REMOVES | CLOSES
};

enum { ONCE, FROM_THEN_ON, KILL, TEAR, SHORT };

struct kind {
    const char* name;
    int befalls;
    int error;
    int how;
};

static const struct kind kinds[] = {
    {"enospc", OPENS | WRITES | SYNCS | SIZES | NAMES | CLOSES, ENOSPC, ONCE},
    {"full", OPENS | WRITES | SIZES | NAMES, ENOSPC, FROM_THEN_ON},
    {"edquot", OPENS | WRITES | SYNCS | SIZES | NAMES | CLOSES, EDQUOT, ONCE},
    {"eio", CHANGES, EIO, ONCE},
    {"broken", CHANGES | READS, EIO, FROM_THEN_ON}, // a disk that answers nothing any more
    {"erofs", OPENS | WRITES | SIZES | NAMES | REMOVES, EROFS, FROM_THEN_ON},
    {"eintr", OPENS | WRITES | SYNCS | SIZES | CLOSES, EINTR, ONCE},
    {"short", WRITES, 0, SHORT},
    {"fsync", SYNCS, EIO, ONCE}, // the lies: what was written before did succeed
    {"close", CLOSES, EIO, ONCE},
    {"mmap", MAPS, ENOMEM, ONCE},
    {"read", READS, EIO, ONCE},
    {"kill", CHANGES, 0, KILL}, // by SIGKILL, before the call
    {"tear", CHANGES, 0, TEAR}, // after half of it, where it writes, else behind it
    {"none", CHANGES | MAPS | READS, 0, ONCE},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct shared {
    atomic_ullong befallen;
    atomic_ullong calls[KINDS]; ///< that each kind can befall
};

static const struct kind* kind;
static unsigned long long chosen; ///< number of the call, from 1; 0: none
static char folder[PATH_MAX];
static size_t folder_length;
static struct shared* shared;
static int log_file = -1;
static int refuses_unnamed;

#define REAL(name)                                                                                                     \
    static __typeof__(&name) real;                                                                                     \
    if (real == NULL) {                                                                                                \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                             \
    }

__attribute__((constructor)) static void set_up(void)
{
    const char* const below = getenv("TEXELSCOPE_FAULT_FOLDER");
    const char* const state = getenv("TEXELSCOPE_FAULT_STATE");
    const char* const wanted = getenv("TEXELSCOPE_FAULT");
    const char* const log = getenv("TEXELSCOPE_FAULT_LOG");
    if (below == NULL || state == NULL || wanted == NULL || strlen(below) >= sizeof folder) {
        return;
    }
    const char* const colon = strchr(wanted, ':');
    for (size_t i = 0; colon != NULL && i < KINDS; ++i) {
        if (strlen(kinds[i].name) == (size_t)(colon - wanted) &&
            strncmp(kinds[i].name, wanted, (size_t)(colon - wanted)) == 0) {
            kind = &kinds[i];
        }
    }
    static __typeof__(&open) real_open;
    real_open = (__typeof__(&open))dlsym(RTLD_NEXT, "open");
    const int file = real_open(state, O_RDWR | O_CLOEXEC);
    if (file >= 0 && lseek(file, 0, SEEK_END) < (off_t)sizeof *shared) {
        _exit(125); // it would be written beyond its end
    }
    if (kind == NULL || file < 0) {
        static const char line[] = "fault_shim: TEXELSCOPE_FAULT or TEXELSCOPE_FAULT_STATE is not right\n";
        (void)!write(STDERR_FILENO, line, sizeof line - 1);
        _exit(125);
    }
    chosen = strtoull(colon + 1, NULL, 10);
    static __typeof__(&mmap) real_mmap;
    real_mmap = (__typeof__(&mmap))dlsym(RTLD_NEXT, "mmap");
    shared = real_mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    static __typeof__(&close) real_close;
    real_close = (__typeof__(&close))dlsym(RTLD_NEXT, "close");
    real_close(file);
    if (shared == MAP_FAILED) {
        _exit(125);
    }
    if (log != NULL) {
        log_file = real_open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    }
    const char* const unnamed = getenv("TEXELSCOPE_FAULT_UNNAMED");
    refuses_unnamed = unnamed != NULL && unnamed[0] == '0';
    strcpy(folder, below);
    folder_length = strlen(folder);
}

/// What to do with a call that is reached now.
enum verdict { GO_ON, FAIL, DO_HALF, DIE, DIE_AFTER };

static int is_below(const char* path)
{
    return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == '\0');
}

static enum verdict count(int what, const char* call, const char* path)
{
    if (log_file >= 0 && (what & (READS | MAPS)) == 0) {
        char line[PATH_MAX + 64];
        const int length = snprintf(line, sizeof line, "%s %s\n", call, path);
        static ssize_t (*real_write)(int, const void*, size_t);
        if (real_write == NULL) {
            real_write = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
        }
        (void)!real_write(log_file, line, (size_t)length);
    }
    unsigned long long number = 0;
    for (int i = 0; i < KINDS; ++i) {
        if ((kinds[i].befalls & what) != 0) {
            const unsigned long long calls = atomic_fetch_add(&shared->calls[i], 1) + 1;
            number = kind == &kinds[i] ? calls : number;
        }
    }
    if ((kind->befalls & what) == 0) {
        return GO_ON;
    }
    if (chosen == 0 || number < chosen || (number > chosen && kind->how != FROM_THEN_ON)) {
        return GO_ON;
    }
    atomic_fetch_add(&shared->befallen, 1);
    switch (kind->how) {
    case KILL:
        return DIE;
    case TEAR:
        return DIE_AFTER;
    case SHORT:
        return DO_HALF;
    default:
        errno = kind->error;
        return FAIL;
    }
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;) {
        pause();
    }
}

/// Of a call on a name, which may be relative to a folder.
static enum verdict on_path(int what, const char* call, int at, const char* path)
{
    if (shared == NULL || path == NULL) {
        return GO_ON;
    }
    const int before = errno;
    char whole[PATH_MAX];
    whole[0] = '\0';
    if (path[0] != '/') {
        if (at == AT_FDCWD) {
            if (getcwd(whole, sizeof whole) == NULL) {
                whole[0] = '\0';
            }
        } else {
            char name[64];
            snprintf(name, sizeof name, "/proc/self/fd/%d", at);
            const ssize_t length = readlink(name, whole, sizeof whole - 1);
            whole[length < 0 ? 0 : length] = '\0';
        }
        strncat(whole, "/", sizeof whole - strlen(whole) - 1);
    }
    strncat(whole, path, sizeof whole - strlen(whole) - 1);
    errno = before;
    return is_below(whole) ? count(what, call, whole) : GO_ON;
}

/// Of a call on an open file. `writable`: only where it is open for writing.
static enum verdict on_file(int what, const char* call, int file, int writable)
{
    if (shared == NULL || file < 0) {
        return GO_ON;
    }
    const int before = errno;
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(name, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    enum verdict verdict = GO_ON;
    if (is_below(path) && (!writable || (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY)) {
        errno = before;
        verdict = count(what, call, path);
    } else {
        errno = before;
    }
    return verdict;
}

/// Calls that are done or not: RESULT is what it returns.
#define ANSWER(decided, type, failed, doing)                                                                           \
    do {                                                                                                               \
        const enum verdict v = (decided);                                                                              \
        if (v == FAIL) {                                                                                               \
            return (failed);                                                                                           \
        }                                                                                                              \
        if (v == DIE) {                                                                                                \
            die();                                                                                                     \
        }                                                                                                              \
        type result = (doing);                                                                                         \
        if (v == DIE_AFTER) {                                                                                          \
            die();                                                                                                     \
        }                                                                                                              \
        return result;                                                                                                 \
    } while (0)

static int opens_what(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0 ? OPENS : READS;
}

/// Some file systems have no files without names.
static int refused(int flags)
{
    if (refuses_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return 1;
    }
    return 0;
}

#define MODE_OF(flags)                                                                                                 \
    mode_t mode = 0;                                                                                                   \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) {                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode = va_arg(rest, mode_t);                                                                                   \
        va_end(rest);                                                                                                  \
    }                                                                                                                  \
    if (refused(flags)) {                                                                                              \
        return -1;                                                                                                     \
    }

#define OPEN(name)                                                                                                     \
    int name(const char* path, int flags, ...)                                                                         \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        MODE_OF(flags)                                                                                                 \
        ANSWER(on_path(opens_what(flags), #name, AT_FDCWD, path), int, -1, real(path, flags, mode));                   \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
    int name(int at, const char* path, int flags, ...)                                                                 \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        MODE_OF(flags)                                                                                                 \
        ANSWER(on_path(opens_what(flags), #name, at, path), int, -1, real(at, path, flags, mode));                     \
    }
OPENAT(openat)
OPENAT(openat64)

#define CREAT(name)                                                                                                    \
    int name(const char* path, mode_t mode)                                                                            \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_path(OPENS, #name, AT_FDCWD, path), int, -1, real(path, mode));                                      \
    }
CREAT(creat)
CREAT(creat64)

// What Debian's libraries call, which are built with _FORTIFY_SOURCE.
#define OPEN_2(name)                                                                                                   \
    int name(const char* path, int flags);                                                                             \
    int name(const char* path, int flags)                                                                              \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_path(opens_what(flags), #name, AT_FDCWD, path), int, -1, real(path, flags));                         \
    }
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                                                                 \
    int name(int at, const char* path, int flags);                                                                     \
    int name(int at, const char* path, int flags)                                                                      \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_path(opens_what(flags), #name, at, path), int, -1, real(at, path, flags));                           \
    }
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

// stdio opens and closes inside of libc, where nothing can be put in between; so do streams of C++.
#define FOPEN(name)                                                                                                    \
    FILE* name(const char* path, const char* mode)                                                                     \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        const int what = strpbrk(mode, "wa+") != NULL ? OPENS : READS;                                                 \
        ANSWER(on_path(what, #name, AT_FDCWD, path), FILE*, NULL, real(path, mode));                                   \
    }
FOPEN(fopen)
FOPEN(fopen64)

int fclose(FILE* stream)
{
    REAL(fclose)
    const enum verdict verdict = on_file(CLOSES, "fclose", fileno(stream), 1);
    if (verdict == DIE) {
        die();
    }
    const int result = real(stream);
    if (verdict == FAIL) {
        errno = kind->error;
        return EOF;
    }
    if (verdict == DIE_AFTER) {
        die();
    }
    return result;
}

int close(int file)
{
    REAL(close)
    const enum verdict verdict = on_file(CLOSES, "close", file, 1);
    if (verdict == DIE) {
        die();
    }
    const int result = real(file); // Linux closes it whatever it returns
    if (verdict == FAIL) {
        errno = kind->error;
        return -1;
    }
    if (verdict == DIE_AFTER) {
        die();
    }
    return result;
}

/// Writes COUNT bytes or, as the verdict says, half of them. A byte alone cannot be halved: it is written.
#define WRITE(decided, count, writing)                                                                                 \
    do {                                                                                                               \
        const enum verdict v = (decided);                                                                              \
        if (v == FAIL) {                                                                                               \
            return -1;                                                                                                 \
        }                                                                                                              \
        if (v == DIE) {                                                                                                \
            die();                                                                                                     \
        }                                                                                                              \
        if ((v == DO_HALF || v == DIE_AFTER) && (count) > 1) {                                                         \
            (count) /= 2;                                                                                              \
        }                                                                                                              \
        const ssize_t result = (writing);                                                                              \
        if (v == DIE_AFTER) {                                                                                          \
            die();                                                                                                     \
        }                                                                                                              \
        return result;                                                                                                 \
    } while (0)

ssize_t write(int file, const void* bytes, size_t count)
{
    REAL(write)
    WRITE(on_file(WRITES, "write", file, 0), count, real(file, bytes, count));
}

#define PWRITE(name, offset_type)                                                                                      \
    ssize_t name(int file, const void* bytes, size_t count, offset_type offset)                                        \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        WRITE(on_file(WRITES, #name, file, 0), count, real(file, bytes, count, offset));                               \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

// Of several pieces half are written.
ssize_t writev(int file, const struct iovec* pieces, int count)
{
    REAL(writev)
    WRITE(on_file(WRITES, "writev", file, 0), count, real(file, pieces, count));
}

#define PWRITEV(name, offset_type)                                                                                     \
    ssize_t name(int file, const struct iovec* pieces, int count, offset_type offset)                                  \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        WRITE(on_file(WRITES, #name, file, 0), count, real(file, pieces, count, offset));                              \
    }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define SENDFILE(name, offset_type)                                                                                    \
    ssize_t name(int to, int from, offset_type* offset, size_t count)                                                  \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        WRITE(on_file(WRITES, #name, to, 0), count, real(to, from, offset, count));                                    \
    }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t count, unsigned flags)
{
    REAL(copy_file_range)
    WRITE(on_file(WRITES, "copy_file_range", to, 0), count, real(from, from_offset, to, to_offset, count, flags));
}

int fsync(int file)
{
    REAL(fsync)
    ANSWER(on_file(SYNCS, "fsync", file, 0), int, -1, real(file));
}

int fdatasync(int file)
{
    REAL(fdatasync)
    ANSWER(on_file(SYNCS, "fdatasync", file, 0), int, -1, real(file));
}

#define TRUNCATE(name, offset_type)                                                                                    \
    int name(int file, offset_type size)                                                                               \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_file(SIZES, #name, file, 0), int, -1, real(file, size));                                             \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define ALLOCATE(name, offset_type)                                                                                    \
    int name(int file, int mode, offset_type offset, offset_type size)                                                 \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_file(SIZES, #name, file, 0), int, -1, real(file, mode, offset, size));                               \
    }
ALLOCATE(fallocate, off_t)
ALLOCATE(fallocate64, off64_t)

// These return the error.
#define POSIX_ALLOCATE(name, offset_type)                                                                              \
    int name(int file, offset_type offset, offset_type size)                                                           \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_file(SIZES, #name, file, 0), int, kind->error, real(file, offset, size));                            \
    }
POSIX_ALLOCATE(posix_fallocate, off_t)
POSIX_ALLOCATE(posix_fallocate64, off64_t)

int rename(const char* from, const char* to)
{
    REAL(rename)
    ANSWER(on_path(NAMES, "rename", AT_FDCWD, to), int, -1, real(from, to));
}

int renameat(int from_at, const char* from, int to_at, const char* to)
{
    REAL(renameat)
    ANSWER(on_path(NAMES, "renameat", to_at, to), int, -1, real(from_at, from, to_at, to));
}

int renameat2(int from_at, const char* from, int to_at, const char* to, unsigned flags)
{
    REAL(renameat2)
    ANSWER(on_path(NAMES, "renameat2", to_at, to), int, -1, real(from_at, from, to_at, to, flags));
}

int link(const char* from, const char* to)
{
    REAL(link)
    ANSWER(on_path(NAMES, "link", AT_FDCWD, to), int, -1, real(from, to));
}

int linkat(int from_at, const char* from, int to_at, const char* to, int flags)
{
    REAL(linkat)
    ANSWER(on_path(NAMES, "linkat", to_at, to), int, -1, real(from_at, from, to_at, to, flags));
}

int symlink(const char* from, const char* to)
{
    REAL(symlink)
    ANSWER(on_path(NAMES, "symlink", AT_FDCWD, to), int, -1, real(from, to));
}

int mkdir(const char* path, mode_t mode)
{
    REAL(mkdir)
    ANSWER(on_path(NAMES, "mkdir", AT_FDCWD, path), int, -1, real(path, mode));
}

int mkdirat(int at, const char* path, mode_t mode)
{
    REAL(mkdirat)
    ANSWER(on_path(NAMES, "mkdirat", at, path), int, -1, real(at, path, mode));
}

char* mkdtemp(char* pattern)
{
    REAL(mkdtemp)
    ANSWER(on_path(NAMES, "mkdtemp", AT_FDCWD, pattern), char*, NULL, real(pattern));
}

#define MKSTEMP(name)                                                                                                  \
    int name(char* pattern)                                                                                            \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_path(OPENS, #name, AT_FDCWD, pattern), int, -1, real(pattern));                                      \
    }
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)

#define MKOSTEMP(name)                                                                                                 \
    int name(char* pattern, int flags)                                                                                 \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_path(OPENS, #name, AT_FDCWD, pattern), int, -1, real(pattern, flags));                               \
    }
MKOSTEMP(mkostemp)
MKOSTEMP(mkostemp64)

int unlink(const char* path)
{
    REAL(unlink)
    ANSWER(on_path(REMOVES, "unlink", AT_FDCWD, path), int, -1, real(path));
}

int unlinkat(int at, const char* path, int flags)
{
    REAL(unlinkat)
    ANSWER(on_path(REMOVES, "unlinkat", at, path), int, -1, real(at, path, flags));
}

int rmdir(const char* path)
{
    REAL(rmdir)
    ANSWER(on_path(REMOVES, "rmdir", AT_FDCWD, path), int, -1, real(path));
}

int remove(const char* path)
{
    REAL(remove)
    ANSWER(on_path(REMOVES, "remove", AT_FDCWD, path), int, -1, real(path));
}

#define MMAP(name, offset_type)                                                                                        \
    void* name(void* address, size_t length, int protection, int flags, int file, offset_type offset)                  \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_file(MAPS, #name, file, 0), void*, MAP_FAILED,                                                       \
               real(address, length, protection, flags, file, offset));                                                \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

ssize_t read(int file, void* bytes, size_t count)
{
    REAL(read)
    ANSWER(on_file(READS, "read", file, 0), ssize_t, -1, real(file, bytes, count));
}

#define PREAD(name, offset_type)                                                                                       \
    ssize_t name(int file, void* bytes, size_t count, offset_type offset)                                              \
    {                                                                                                                  \
        REAL(name)                                                                                                     \
        ANSWER(on_file(READS, #name, file, 0), ssize_t, -1, real(file, bytes, count, offset));                         \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)
