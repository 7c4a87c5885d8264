#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot spell.
static inline int geofenced_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int geofenced_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    // A null pointer would bind NULL instead of an empty blob.
    return sqlite3_bind_blob(statement, index, length == 0 ? "" : bytes, length, SQLITE_TRANSIENT);
}

// The bytes are not copied: they must stay as they are until the statement has been reset.
static inline int geofenced_bind_lasting_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, length == 0 ? "" : bytes, length, SQLITE_STATIC);
}

// sqlite3_db_config is variadic; this covers its on/off options.
static inline int geofenced_db_config_switch(sqlite3 *database, int option, int is_on) {
    return sqlite3_db_config(database, option, is_on, (int *)0);
}

// Variadic, too. It has to be called before anything else of the library.
static inline int geofenced_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

struct geofenced_log_header {
    unsigned long long words[6];
};

// The header of the log's index where the connection has it in memory: another descriptor of that file
// would, when it is closed, drop this process's locks on it. False: there is none. The connection must
// have read before.
static inline int geofenced_read_log_header(sqlite3 *database, struct geofenced_log_header *header) {
    sqlite3_file *file = (sqlite3_file *)0;
    void volatile *page = (void *)0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK)
        return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
        return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &page) != SQLITE_OK || !page) return 0;
    for (int index = 0; index < 6; index++)
        header->words[index] =
            __atomic_load_n((volatile unsigned long long *)page + index, __ATOMIC_ACQUIRE);
    return 1;
}
