#pragma once

#include "workbench/store/result_store.hpp"
#include "workbench/store/sqlite_statement.hpp"
#include "workbench/store/stored_result.hpp"

#include <cstdint>
#include <string>

namespace texelscope::workbench::store {

// How StoredResult lies in the table of a store.

/// Version of the schema below. Each change of the schema gets a new number.
inline constexpr std::int64_t result_schema_version = 3;

/// The table and its index. A null number stands for NaN. Version 1 had no column wall_clock, 2
/// none of the reference kernel.
inline constexpr const char* result_schema = R"(
CREATE TABLE results (
    kernel TEXT NOT NULL, judge TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL, program TEXT NOT NULL,
    settings TEXT NOT NULL,
    operator TEXT NOT NULL, shape TEXT NOT NULL, padding TEXT NOT NULL, config TEXT NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL,
    samples BLOB NOT NULL, median REAL,
    max_abs REAL, max_rel REAL, tolerance REAL,
    compile_ns REAL, benchmark_ns REAL, verification_ns REAL, strategy_ns REAL, framework_ns REAL, total_ns REAL,
    timestamp TEXT NOT NULL, seed INTEGER, wall_clock INTEGER NOT NULL DEFAULT 0,
    reference_ns REAL NOT NULL DEFAULT 0, reference_spread REAL NOT NULL DEFAULT 1,
    PRIMARY KEY (kernel, judge, device, driver, program, settings)
) STRICT;
CREATE INDEX results_of ON results (operator, shape, padding, device, judge);
)";

/// Makes a table of an earlier version one of the next.
inline constexpr const char* schema_2_from_1 =
    "ALTER TABLE results ADD COLUMN wall_clock INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2";
inline constexpr const char* schema_3_from_2 =
    "ALTER TABLE results ADD COLUMN reference_ns REAL NOT NULL DEFAULT 0; "
    "ALTER TABLE results ADD COLUMN reference_spread REAL NOT NULL DEFAULT 1; "
    "PRAGMA user_version = 3";

/// The names of all columns, in the order of write_row() and read_row(). For earlier versions,
/// constants stand for the columns that they lack.
[[nodiscard]] std::string result_columns(std::int64_t version = result_schema_version);

/// The SQL condition that selects one key; bind_key() gives its values.
inline constexpr const char* of_result_key =
    "kernel = ?1 AND judge = ?2 AND device = ?3 AND driver = ?4 AND program = ?5 AND settings = ?6";

void bind_key(SqliteStatement& statement, const ResultKey& key);

/// The text of a statement that write_row() runs; `kind`: INSERT OR REPLACE, INSERT OR IGNORE.
[[nodiscard]] std::string result_insertion(const char* kind);
/// Runs a statement of result_insertion() with the values of a row.
void write_row(SqliteStatement& statement, const StoredResult& row);

/// The statement SELECT `what` for the rows that a filter matches; `order` is put at its end.
[[nodiscard]] SqliteStatement result_query(SqliteDatabase& database, const std::string& what,
                                           const ResultFilter& filter, const char* order);
/// The current row of a statement that selects result_columns(). Throws bad_input, with the file's
/// `path`, for a value that write_row() never writes.
[[nodiscard]] StoredResult read_row(const SqliteStatement& statement, const std::string& path);

} // namespace texelscope::workbench::store
