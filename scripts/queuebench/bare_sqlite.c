/* Bare SQLite: rows a second of one table, so many rows a transaction, durable.
 *
 *   bare_sqlite DATABASE RECORDS ROWS_PER_TRANSACTION UNIQUE
 *
 * RECORDS: one record a line. UNIQUE 1: a text of 36 characters beside it must be unique, as the id of
 * an event. Prints rows a second. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "bare_sqlite: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static void run(const char *text) { check(sqlite3_exec(database, text, 0, 0, 0)); }

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    int per_transaction = atoi(arguments[3]), is_unique = atoi(arguments[4]);
    FILE *records = fopen(arguments[2], "r");
    if (!records) return 2;
    check(sqlite3_open(arguments[1], &database));
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run(is_unique ? "CREATE TABLE events(id INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE,"
                    " document BLOB NOT NULL)"
                  : "CREATE TABLE events(id INTEGER PRIMARY KEY, event_id TEXT NOT NULL,"
                    " document BLOB NOT NULL)");
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(database, "INSERT INTO events(event_id, document) VALUES (?, ?)", -1,
                             &insert, 0));
    size_t room = 0, total = 0, capacity = 0;
    char *line = 0, **lines = 0;
    ssize_t length;
    while ((length = getline(&line, &room, records)) > 0) {
        if (total == capacity) lines = realloc(lines, (capacity = 2 * capacity + 64) * sizeof *lines);
        line[length - 1] = 0;
        lines[total++] = strdup(line);
    }
    double began = seconds();
    srandom(1);
    for (size_t row = 0; row < total; row++) {
        char id[64];
        snprintf(id, sizeof id, "%08lx-%04lx-8000-8000-%012lx", random() & 0xffffffff,
                 random() & 0xffff, (unsigned long)row);
        if (row % per_transaction == 0) run("BEGIN IMMEDIATE");
        sqlite3_bind_text(insert, 1, id, 36, SQLITE_TRANSIENT);
        sqlite3_bind_blob(insert, 2, lines[row], (int)strlen(lines[row]), SQLITE_STATIC);
        check(sqlite3_step(insert));
        sqlite3_reset(insert);
        if (row % per_transaction == per_transaction - 1u || row == total - 1) run("COMMIT");
    }
    printf("%.0f\n", total / (seconds() - began));
    sqlite3_finalize(insert);
    sqlite3_close(database);
    return 0;
}
