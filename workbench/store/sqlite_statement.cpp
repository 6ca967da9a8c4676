#include "workbench/store/sqlite_statement.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <thread>

namespace texelscope::workbench::store {
namespace {

static_assert(std::endian::native == std::endian::little,
              "samples are stored as little-endian doubles");

/// What to do about an error of SQLite.
const char* remedy(int code)
{
    switch (code) {
    case SQLITE_NOTADB:
        return "give a store of results, or the name of a new file";
    case SQLITE_CORRUPT:
        return "the store is damaged; take a copy of it, or start a new one";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another process has held it for too long; try again";
    case SQLITE_FULL:
        return "make room on its disk";
    case SQLITE_NOMEM:
        return "give the program more memory";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return "check the name, and the permissions of file and folder";
    default:
        return "check its disk, and run it again: rows that are stored stay";
    }
}

} // namespace

void SqliteDatabase::Close::operator()(sqlite3* handle) const noexcept
{
    sqlite3_close_v2(handle);
}

SqliteDatabase::SqliteDatabase(const std::string& path, bool create, int patience_ms)
    : path_(path), patience_ms_(patience_ms)
{
    // An absolute path is never taken for a special name of SQLite, like ":memory:".
    std::error_code ignored;
    const std::string absolute = std::filesystem::absolute(path, ignored).string();
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(
        absolute.c_str(), &handle,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) {
        fail();
    }
    sqlite3_busy_timeout(handle, patience_ms);
    distrust();
}

void SqliteDatabase::distrust()
{
    // A file from a stranger may hold triggers and views that run code of its own.
    for (const int feature : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
        (void)sqlite3_db_config(handle_.get(), feature, 0, nullptr);
    }
    (void)sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    // bytes; an expression in a schema could make a value of any length
    constexpr int longest_value = 64 << 20;
    (void)sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH, longest_value);
    execute("PRAGMA cell_size_check = on");
}

void SqliteDatabase::fail() const
{
    const int code = handle_ ? sqlite3_errcode(handle_.get()) & 0xff : SQLITE_NOMEM;
    std::string what = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
    if (const int error = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
        code == SQLITE_IOERR && error != 0) {
        // SQLite does not tell a full quota from a broken disk
        what += ": " + std::generic_category().message(error);
    }
    throw bad_input(what, path_, remedy(code));
}

void SqliteDatabase::execute(const char* statements)
{
    if (sqlite3_exec(handle_.get(), statements, nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail();
    }
}

std::int64_t SqliteDatabase::number(const char* query)
{
    SqliteStatement statement(*this, query);
    return statement.step() ? statement.integer(0).value_or(0) : 0;
}

std::string SqliteDatabase::text(const char* query)
{
    SqliteStatement statement(*this, query);
    return statement.step() ? statement.text(0) : std::string();
}

void SqliteDatabase::use_write_ahead_log()
{
    // SQLite does not wait by itself when the kind of log is changed.
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms_);
    while (text("PRAGMA journal_mode") != "wal") {
        const int code =
            sqlite3_exec(handle_.get(), "PRAGMA journal_mode = wal", nullptr, nullptr, nullptr);
        if (code == SQLITE_OK) {
            return; // or the file system has no shared memory, and the log stays as it is
        }
        if ((code & 0xff) != SQLITE_BUSY || Clock::now() > deadline) {
            fail();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

std::int64_t SqliteDatabase::changes() const
{
    return sqlite3_changes64(handle_.get());
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const noexcept
{
    sqlite3_finalize(statement);
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, const std::string& text)
    : database_(&database)
{
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database.handle(), text.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
        database.fail();
    }
    statement_.reset(statement);
}

void SqliteStatement::check(int code) const
{
    if (code != SQLITE_OK) {
        database_->fail();
    }
}

void SqliteStatement::bind(int place, std::string_view text)
{
    // An empty view may have a null address, which SQLite would take for a null value.
    check(sqlite3_bind_text64(statement_.get(), place, text.empty() ? "" : text.data(), text.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8));
}

void SqliteStatement::bind(int place, double number)
{
    check(sqlite3_bind_double(statement_.get(), place, number));
}

void SqliteStatement::bind(int place, std::optional<std::int64_t> number)
{
    check(number ? sqlite3_bind_int64(statement_.get(), place, *number)
                 : sqlite3_bind_null(statement_.get(), place));
}

void SqliteStatement::bind_blob(int place, const std::vector<double>& numbers)
{
    const void* const bytes = numbers.empty() ? static_cast<const void*>("") : numbers.data();
    check(sqlite3_bind_blob64(statement_.get(), place, bytes, numbers.size() * sizeof(double),
                              SQLITE_TRANSIENT));
}

bool SqliteStatement::step()
{
    const int code = sqlite3_step(statement_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        database_->fail();
    }
    return code == SQLITE_ROW;
}

void SqliteStatement::run()
{
    while (step()) {
    }
    reset();
}

void SqliteStatement::reset()
{
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
}

std::string SqliteStatement::text(int column) const
{
    const auto* const text =
        reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return text == nullptr ? std::string()
                           : std::string(text, static_cast<std::size_t>(
                                                   sqlite3_column_bytes(statement_.get(), column)));
}

double SqliteStatement::real(int column) const
{
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL
               ? std::numeric_limits<double>::quiet_NaN()
               : sqlite3_column_double(statement_.get(), column);
}

std::optional<std::int64_t> SqliteStatement::integer(int column) const
{
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL
               ? std::nullopt
               : std::optional<std::int64_t>(sqlite3_column_int64(statement_.get(), column));
}

std::vector<double> SqliteStatement::blob(int column) const
{
    const void* const bytes = sqlite3_column_blob(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    if (size % sizeof(double) != 0) {
        throw bad_input(fmt::format("a list of numbers has {} bytes", size), database_->path(),
                        remedy(SQLITE_CORRUPT));
    }
    std::vector<double> numbers(size / sizeof(double));
    if (size > 0) {
        std::memcpy(numbers.data(), bytes, size);
    }
    return numbers;
}

SqliteTransaction::SqliteTransaction(SqliteDatabase& database, Kind kind) : database_(&database)
{
    database.execute(kind == Kind::reads ? "BEGIN" : "BEGIN IMMEDIATE");
}

SqliteTransaction::~SqliteTransaction()
{
    if (open_) {
        sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void SqliteTransaction::commit()
{
    database_->execute("COMMIT");
    open_ = false;
}

} // namespace texelscope::workbench::store
