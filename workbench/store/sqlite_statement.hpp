#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace texelscope::workbench::store {

/// An open SQLite database. Errors throw bad_input, naming the file.
class SqliteDatabase {
public:
    /// `path` is always the name of a file, whatever its characters: names with a meaning of their
    /// own in SQLite, like ":memory:", have none here. Waits up to `patience_ms` for writes of
    /// other processes.
    SqliteDatabase(const std::string& path, bool create, int patience_ms);

    /// Runs statements without values, one after the other.
    void execute(const char* statements);
    /// The first value of a query's first row, as a number or as a text; 0 or an empty text where
    /// there is none.
    [[nodiscard]] std::int64_t number(const char* query);
    [[nodiscard]] std::string text(const char* query);
    /// Switches to a write-ahead log where the file system supports one; waits for other processes.
    void use_write_ahead_log();
    /// How many rows the last statement changed.
    [[nodiscard]] std::int64_t changes() const;

    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
    [[nodiscard]] const std::string& path() const { return path_; }
    /// The error that SQLite reports for the last call.
    [[noreturn]] void fail() const;

private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept;
    };
    /// Guards against files from strangers: no triggers or views of theirs run, and no value is
    /// longer than 64 MiB.
    void distrust();

    std::string path_;
    int patience_ms_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement with its values; must not outlive its database.
class SqliteStatement {
public:
    SqliteStatement(SqliteDatabase& database, const std::string& text);

    /// Bind the value number `place`, from 1. NaN is bound as null.
    void bind(int place, std::string_view text);
    void bind(int place, double number);
    void bind(int place, std::optional<std::int64_t> number);
    void bind_blob(int place, const std::vector<double>& numbers);

    /// Goes to the next row; false behind the last one.
    [[nodiscard]] bool step();
    /// Runs the statement to its end, then reset()s it.
    void run();
    /// Clears bound values and rows, so that the statement can be run again.
    void reset();

    /// Columns of the current row, by their number from 0. A null is read as NaN, as no value, or
    /// as an empty text.
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
    /// Throws bad_input where the length of the bytes is no multiple of a number's size.
    [[nodiscard]] std::vector<double> blob(int column) const;

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    void check(int code) const;

    SqliteDatabase* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A transaction, which is rolled back unless it is committed. All of its reads see the database as
/// it was at one moment; a transaction that writes keeps other writers waiting from its beginning
/// on.
class SqliteTransaction {
public:
    enum class Kind { reads, writes };
    SqliteTransaction(SqliteDatabase& database, Kind kind);
    ~SqliteTransaction();
    SqliteTransaction(const SqliteTransaction&) = delete;
    SqliteTransaction& operator=(const SqliteTransaction&) = delete;

    void commit();

private:
    SqliteDatabase* database_;
    bool open_ = true;
};

} // namespace texelscope::workbench::store
