#include <microhttpd.h>
#include <stdint.h>

// What Swift cannot call: MHD_start_daemon and MHD_get_connection_info are variadic.

struct geofence_mhd_settings {
    int listen_socket;
    unsigned int threads;
    unsigned int connections;
    unsigned int connections_per_address;
    unsigned int idle_seconds;
    size_t memory_per_connection;
    void *context;
    MHD_AcceptPolicyCallback accepts;
    MHD_AccessHandlerCallback handler;
    MHD_NotifyConnectionCallback connection_changed;
    MHD_RequestCompletedCallback request_completed;
    void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection);
};

static inline struct MHD_Daemon *geofence_mhd_start(const struct geofence_mhd_settings *settings)
{
    struct MHD_OptionItem options[] = {
        { MHD_OPTION_LISTEN_SOCKET, settings->listen_socket, NULL },
        { MHD_OPTION_CONNECTION_LIMIT, settings->connections, NULL },
        { MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings->connections_per_address, NULL },
        { MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds, NULL },
        { MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t) settings->memory_per_connection, NULL },
        { MHD_OPTION_NOTIFY_CONNECTION, (intptr_t) settings->connection_changed,
          settings->context },
        { MHD_OPTION_NOTIFY_COMPLETED, (intptr_t) settings->request_completed,
          settings->context },
        { MHD_OPTION_URI_LOG_CALLBACK, (intptr_t) settings->request_line, settings->context },
        // A pool of one thread is refused: it stands last, where END may take its place.
        { settings->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END,
          settings->threads, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
        settings->accepts, settings->context, settings->handler, settings->context,
        MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline int geofence_mhd_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? (int) info->connect_fd : -1;
}

static inline const struct sockaddr *geofence_mhd_peer(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

static inline void *geofence_mhd_socket_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// Importers derive different names for the cases of these enumerations; these stay the same.

static inline int geofence_mhd_connection_started(enum MHD_ConnectionNotificationCode change)
{
    return change == MHD_CONNECTION_NOTIFY_STARTED;
}

static inline int geofence_mhd_answer_complete(enum MHD_RequestTerminationCode reason)
{
    return reason == MHD_REQUEST_TERMINATED_COMPLETED_OK;
}
