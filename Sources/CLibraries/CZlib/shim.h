#include <zlib.h>

// The init calls are macros that pass the header's version and the size of the stream.
// 15 bits of window, + 16 selects the gzip wrapper (zlib.h, deflateInit2 and inflateInit2).
static inline int geofenced_gzip_deflate_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int geofenced_gzip_inflate_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}
