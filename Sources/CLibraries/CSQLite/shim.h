#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot spell.
static inline int geofenced_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int geofenced_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    // A null pointer would bind NULL instead of an empty blob.
    return sqlite3_bind_blob(statement, index, length == 0 ? "" : bytes, length, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic; this covers its on/off options.
static inline int geofenced_db_config_switch(sqlite3 *database, int option, int is_on) {
    return sqlite3_db_config(database, option, is_on, (int *)0);
}
