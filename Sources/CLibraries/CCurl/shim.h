#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <stdint.h>
#include <time.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call.

static inline CURLcode geofenced_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode geofenced_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// Not to wait for the thread that looks up a name when a transfer ends or the handle goes: servers that
// never answer hold it for half a minute. Libraries before 7.87 cannot, and wait.
static inline void geofenced_curl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
#endif
}

// `text` must hold CURL_ERROR_SIZE characters and stay in place while the handle is used.
static inline CURLcode geofenced_curl_set_error_text(CURL *handle, char *text) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, text);
}

static inline CURLcode geofenced_curl_set_headers(CURL *handle, struct curl_slist *list) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
}

static inline CURLcode geofenced_curl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_POSTFIELDS, bytes) : result;
}

static inline CURLcode geofenced_curl_set_callbacks(
    CURL *handle, void *context, size_t (*body)(char *, size_t, size_t, void *),
    size_t (*header)(char *, size_t, size_t, void *),
    int (*progress)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) : result;
}

static inline CURLcode geofenced_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode geofenced_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

// Data that was sent and is not acknowledged within 15 s means a dead connection (tcp(7)).
static inline int geofenced_curl_socket_options(void *context, curl_socket_t descriptor, curlsocktype kind) {
    unsigned int milliseconds = 15000;
    (void)context;
    (void)kind;
    setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    return CURL_SOCKOPT_OK;
}

static inline CURLcode geofenced_curl_set_socket_options(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, geofenced_curl_socket_options);
}

// Certificates are judged at a given time instead of the wall clock's (X509_VERIFY_PARAM_set_time(3)).
static inline CURLcode geofenced_curl_verification_time(CURL *handle, void *context, void *seconds) {
    (void)handle;
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param((SSL_CTX *)context);
    if (parameters && *(const int64_t *)seconds > 0) {
        X509_VERIFY_PARAM_set_time(parameters, (time_t) * (const int64_t *)seconds);
    }
    return CURLE_OK;
}

// `seconds` since 1970 must stay in place while the handle is used; 0: the wall clock.
static inline CURLcode geofenced_curl_set_verification_time(CURL *handle, const int64_t *seconds) {
    CURLcode result =
        curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, geofenced_curl_verification_time);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, (void *)seconds) : result;
}
