// libgps as a transport and nothing more. struct gps_data_t has another size and other fields in
// every release, so it stays here: Swift sees a handle, the descriptor and lines.
#pragma once

#include <errno.h>
#include <gps.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#if GPSD_API_MAJOR_VERSION < 9
#error "libgps with gps_read(data, message, length) is needed: gpsd 3.20 or later"
#endif

// Connects, which blocks as long as connect(2) does. NULL with the reason of gps_open in `failure`:
// one of the negative NL_ codes, or an errno.
static inline void *geofenced_gpsd_open(const char *host, const char *port, int *failure) {
    struct gps_data_t *data = calloc(1, sizeof *data);
    if (data == NULL) {
        *failure = ENOMEM;
        return NULL;
    }
    errno = 0;
    if (gps_open(host, port, data) == 0) return data;
    *failure = errno == 0 ? EIO : errno;
    free(data);
    return NULL;
}

static inline const char *geofenced_gpsd_reason(int failure) {
    return failure < 0 ? gps_errstr(failure) : strerror(failure);
}

static inline int geofenced_gpsd_descriptor(const void *handle) {
    return (int)((const struct gps_data_t *)handle)->gps_fd;
}

// All receivers, those that come later too: a filtered WATCH would not see them.
static inline int geofenced_gpsd_watch(void *handle) {
    return gps_stream((struct gps_data_t *)handle, WATCH_ENABLE | WATCH_JSON, NULL);
}

static inline int geofenced_gpsd_ask_devices(void *handle) {
    return gps_send((struct gps_data_t *)handle, "?DEVICES;\n");
}

// The bytes of the next line, without its line feed, ended by a 0; 0 when there is no whole line yet,
// -1 when the connection is of no more use. Why is in `failure`: an errno, 0 when the other side closed,
// -1 when it still talks, so that it is libgps whose buffer is full.
static inline int geofenced_gpsd_read(void *handle, char *line, int size, int *failure) {
    char byte;
    line[0] = 0;
    errno = 0;
    int status = gps_read((struct gps_data_t *)handle, line, size);
    if (status >= 0) return status;
    *failure = errno;
    if (*failure == 0 &&
        recv(geofenced_gpsd_descriptor(handle), &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0) {
        *failure = -1;
    }
    return -1;
}

static inline void geofenced_gpsd_close(void *handle) {
    gps_close((struct gps_data_t *)handle);
    free(handle);
}
