// What Swift cannot import by itself: variadic ioctls, macros, and GNU extensions. The latter are
// declared here one by one, because _GNU_SOURCE would change structures that Glibc also imports.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/stat.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

int accept4(int, struct sockaddr *, socklen_t *, int);
int pipe2(int[2], int);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
int pthread_setname_np(unsigned long, const char *);
int statx(int, const char *, int, unsigned, struct statx *);
int sem_clockwait(sem_t *, clockid_t, const struct timespec *);

// The socket types are an enumeration in C, which Swift versions import under different names.
static inline int clinux_stream_socket(int is_nonblocking) {
    int flags = SOCK_CLOEXEC | (is_nonblocking ? SOCK_NONBLOCK : 0);
    return socket(AF_UNIX, SOCK_STREAM | flags, 0);
}

static inline int clinux_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

// Hears of links, addresses and routes of IPv4 and IPv6; -1 with errno.
static inline int clinux_route_socket(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof(address));
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR |
                        RTMGRP_IPV6_ROUTE;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof(address)) == 0) return descriptor;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

static inline int clinux_tcp_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// getaddrinfo(3) for TCP.
static inline int clinux_resolve(const char *host, const char *port, struct addrinfo **out) {
    struct addrinfo hints;
    memset(&hints, 0, sizeof(hints));
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    return getaddrinfo(host, port, &hints, out);
}

#ifndef __O_TMPFILE
#define __O_TMPFILE 020000000
#endif

// A file without a name, which is gone when it is closed; -1 with errno, EOPNOTSUPP where the file
// system has none.
static inline int clinux_open_unnamed(const char *folder) {
    return open(folder, __O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0600);
}

static inline int clinux_stop_listening(int listener) { return shutdown(listener, SHUT_RDWR); }

// An error instead of SIGPIPE; clinux_send_now also instead of waiting.
static inline ssize_t clinux_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

static inline ssize_t clinux_send_now(
    int descriptor, const void *bytes, size_t count, const struct sockaddr *to, socklen_t length) {
    return sendto(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, to, length);
}

static inline int clinux_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// When a file was made, nanoseconds since 1970; -1: there is none, or its file system does not say, or
// keeps it in local time (FAT, exFAT), which is another time when the kernel's zone is another.
static inline int64_t clinux_birth(const char *path) {
    struct statfs system;
    struct statx status;
    if (statfs(path, &system) < 0) return -1;
    if (system.f_type == 0x4d44 || system.f_type == 0x2011bab0) return -1;
    memset(&status, 0, sizeof(status));
    if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) < 0) return -1;
    if ((status.stx_mask & STATX_BTIME) == 0) return -1;
    return status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
}

// 1 when the kernel calls the clock disciplined, 0 when not, -1 with errno when it does not tell.
static inline int clinux_clock_is_synchronised(void) {
    struct timex query = {0};
    int state = adjtimex(&query);
    if (state < 0) return -1;
    return state != TIME_ERROR && !(query.status & STA_UNSYNC);
}

// 1 when somebody holds the terminal exclusively, 0 when nobody does, -1 with errno.
static inline int clinux_terminal_is_exclusive(int descriptor) {
    int exclusive = 0;
    return ioctl(descriptor, TIOCGEXCL, &exclusive) < 0 ? -1 : exclusive != 0;
}

static inline int clinux_set_terminal_exclusive(int descriptor) {
    return ioctl(descriptor, TIOCEXCL, 0);
}

struct clinux_credentials {
    int32_t process;
    uint32_t user;
    uint32_t group;
};

// The process on the other end of a Unix socket, as it was when it connected; -1 with errno.
static inline int clinux_peer(int descriptor, struct clinux_credentials *out) {
    socklen_t length = sizeof(*out);
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, out, &length);
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

// Writes up to count supplementary groups of the peer; their number, or -1 with errno.
static inline int clinux_peer_groups(int descriptor, uint32_t *out, unsigned count) {
    socklen_t length = count * sizeof(*out);
    int status = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, out, &length);
    return status < 0 ? -1 : (int)(length / sizeof(*out));
}

// The constant of termios for a speed in baud; 0 for a speed that serial receivers do not use.
static inline speed_t clinux_speed(int baud) {
    switch (baud) {
    case 4800: return B4800;
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 921600: return B921600;
    default: return 0;
    }
}

// `milliseconds` is a time of CLOCK_MONOTONIC.
static inline int clinux_wait_semaphore(sem_t *semaphore, long long milliseconds) {
    struct timespec until;
    until.tv_sec = (time_t)(milliseconds / 1000);
    until.tv_nsec = (long)(milliseconds % 1000) * 1000000L;
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &until);
}

#ifndef CRTSCTS
#define CRTSCTS 020000000000
#endif

// Raw bytes, eight bits, no parity, no flow control, no modem lines; read() returns 0 at a hang-up
// only (VMIN 1). What the driver made of it is read back: EOPNOTSUPP when it is something else, for
// tcsetattr succeeds when it could do any of what was asked. Without HUPCL a close leaves DTR alone,
// on which some boards reset their receiver.
static inline int clinux_configure_serial(int descriptor, int baud) {
    speed_t speed = clinux_speed(baud);
    struct termios wanted, made;
    if (speed == 0) {
        errno = EINVAL;
        return -1;
    }
    if (tcgetattr(descriptor, &wanted) < 0) return -1;
    cfmakeraw(&wanted);
    wanted.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS | HUPCL);
    wanted.c_cflag |= CLOCAL | CREAD;
    wanted.c_iflag &= ~(tcflag_t)(IXOFF | IXANY);
    wanted.c_cc[VMIN] = 1;
    wanted.c_cc[VTIME] = 0;
    if (cfsetispeed(&wanted, speed) < 0 || cfsetospeed(&wanted, speed) < 0) return -1;
    if (tcsetattr(descriptor, TCSANOW, &wanted) < 0) return -1;
    if (tcgetattr(descriptor, &made) < 0) return -1;
    if (cfgetispeed(&made) != speed || (made.c_lflag & (ICANON | ISIG | ECHO)) != 0 ||
        (made.c_iflag & (IXON | ICRNL | ISTRIP)) != 0 || made.c_cc[VMIN] != 1) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return 0;
}

// An input line of an open GPIO chip that tells both edges: its descriptor, or -1 with errno.
static inline int clinux_open_gpio_line(int chip, uint32_t line) {
    struct gpio_v2_line_request request;
    memset(&request, 0, sizeof(request));
    request.offsets[0] = line;
    request.num_lines = 1;
    request.config.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING |
        GPIO_V2_LINE_FLAG_EDGE_FALLING;
    memcpy(request.consumer, "geofenced", sizeof("geofenced"));
    return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? -1 : request.fd;
}

// 1 for high, 0 for low, -1 with errno.
static inline int clinux_gpio_level(int line) {
    struct gpio_v2_line_values values;
    memset(&values, 0, sizeof(values));
    values.mask = 1;
    return ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0 ? -1 : (int)(values.bits & 1);
}

// Starts a program in a process group of its own, with one descriptor as its input, one as its
// output and errors, and no other; signals are as a new process expects them. 0, or an errno.
static inline int clinux_spawn(
    pid_t *child, char *const *arguments, char *const *environment, int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int status;
    sigemptyset(&none);
    sigfillset(&all);
    if ((status = posix_spawn_file_actions_init(&actions)) != 0) return status;
    if ((status = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return status;
    }
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    if ((status = posix_spawn_file_actions_adddup2(&actions, input, 0)) == 0 &&
        (status = posix_spawn_file_actions_adddup2(&actions, output, 1)) == 0 &&
        (status = posix_spawn_file_actions_adddup2(&actions, output, 2)) == 0 &&
        (status = posix_spawn_file_actions_addclosefrom_np(&actions, 3)) == 0)
        status = posix_spawn(child, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

// 1 when a child has ended, 0 while it runs, -1 with errno; it stays to be waited for.
static inline int clinux_has_ended(pid_t child) {
    siginfo_t state;
    memset(&state, 0, sizeof(state));
    if (waitid(P_PID, (id_t)child, &state, WEXITED | WNOHANG | WNOWAIT) < 0) return -1;
    return state.si_pid == child;
}

// Waits for a child: its exit status, 256 + the signal that it died of, or -1 with errno.
static inline int clinux_reap(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}
