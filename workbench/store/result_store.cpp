#include "workbench/store/result_store.hpp"

#include "base/error.hpp"
#include "workbench/store/result_rows.hpp"
#include "workbench/store/sqlite_statement.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace texelscope::workbench::store {
namespace {

// How long a writer waits for another process.
constexpr int patience_ms = 60'000;
/// "TXRS"; SQLite keeps it in the header of the file, and so a store is told from other databases.
constexpr std::int64_t application_id = 0x5458'5253;

} // namespace

class ResultStore::Implementation {
public:
    Implementation(const std::string& path, StoreOpening opening)
        : database_(checked(path, opening), opening == StoreOpening::create, patience_ms)
    {
        if (!had_schema()) {
            if (opening == StoreOpening::existing) {
                throw bad_input("the store is empty", path, "give a store that has results");
            }
            SqliteTransaction transaction(database_, SqliteTransaction::Kind::writes);
            if (!has_schema()) { // another process may have made it meanwhile
                database_.execute(result_schema);
                database_.execute(
                    fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                application_id, result_schema_version)
                        .c_str());
                version_ = result_schema_version;
            }
            transaction.commit();
        }
        // An old file gets the new columns only if it may be written.
        if (version_ < result_schema_version && opening == StoreOpening::create) {
            SqliteTransaction transaction(database_, SqliteTransaction::Kind::writes);
            if (has_schema()) { // as above
                if (version_ < 2) {
                    database_.execute(schema_2_from_1);
                }
                if (version_ < 3) {
                    database_.execute(schema_3_from_2);
                }
            }
            transaction.commit();
            version_ = result_schema_version;
        }
        if (opening == StoreOpening::create) {
            database_.use_write_ahead_log();
        }
        // A row that was committed survives a power cut.
        database_.execute("PRAGMA synchronous = full");
    }

    [[nodiscard]] SqliteDatabase& database() { return database_; }
    /// What to ask for in a SELECT.
    [[nodiscard]] std::string columns() const { return result_columns(version_); }

private:
    static const std::string& checked(const std::string& path, StoreOpening opening)
    {
        std::error_code ignored;
        if (path.empty()) {
            throw bad_input("a store of results has no name", "", "give the name of a file");
        }
        if (opening == StoreOpening::existing && !std::filesystem::exists(path, ignored)) {
            throw bad_input("there is no such store of results", path, "check its name");
        }
        return path;
    }

    /// has_schema() in a transaction of its own.
    bool had_schema()
    {
        const SqliteTransaction transaction(database_, SqliteTransaction::Kind::reads);
        return has_schema();
    }

    /// Whether the tables are there; false for a new file. Throws bad_input for a file that is not
    /// ours. Its queries belong into one transaction, because another process may be making the
    /// store.
    bool has_schema()
    {
        const std::int64_t application = database_.number("PRAGMA application_id");
        version_ = database_.number("PRAGMA user_version");
        if (application == 0 && version_ == 0 &&
            database_.number("SELECT count(*) FROM sqlite_schema") == 0) {
            return false;
        }
        if (application != application_id) {
            throw bad_input("this is a database of another program", database_.path(),
                            "give a store of results, or the name of a new file");
        }
        if (version_ < 1 || version_ > result_schema_version) {
            throw bad_input(fmt::format("the store has version {}, and this program knows 1 to {}",
                                        version_, result_schema_version),
                            database_.path(), "use the program that wrote it, or a later one");
        }
        // A view, or a generated column, could compute values without end; files may come from
        // strangers.
        if (database_.number(
                "SELECT count(*) FROM sqlite_schema WHERE name = 'results' AND type = 'table'") !=
                1 ||
            database_.number(
                "SELECT count(*) FROM pragma_table_xinfo('results') WHERE hidden > 0") != 0) {
            throw bad_input("its table of results is none that this program makes",
                            database_.path(), "give a store of results, or the name of a new file");
        }
        return true;
    }

    SqliteDatabase database_;
    std::int64_t version_ = 0; ///< of the schema
};

ResultStore::ResultStore(const std::string& path, StoreOpening opening)
    : implementation_(std::make_unique<Implementation>(path, opening))
{}

ResultStore::~ResultStore() = default;
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

std::optional<StoredResult> ResultStore::find(const ResultKey& key) const
{
    SqliteStatement statement(
        implementation_->database(),
        fmt::format("SELECT {} FROM results WHERE {}", implementation_->columns(), of_result_key));
    bind_key(statement, key);
    return statement.step() ? std::optional(read_row(statement, implementation_->database().path()))
                            : std::nullopt;
}

void ResultStore::put(const StoredResult& result)
{
    put(std::vector{result});
}

void ResultStore::put(const std::vector<StoredResult>& results)
{
    SqliteTransaction transaction(implementation_->database(), SqliteTransaction::Kind::writes);
    SqliteStatement statement(implementation_->database(), result_insertion("INSERT OR REPLACE"));
    for (const StoredResult& result : results) {
        write_row(statement, result);
    }
    transaction.commit();
}

void ResultStore::visit(const ResultFilter& filter,
                        const std::function<void(const StoredResult&)>& visitor) const
{
    SqliteStatement statement =
        result_query(implementation_->database(), implementation_->columns(), filter,
                     " ORDER BY operator, shape, padding, device, judge, config, driver, program, "
                     "settings, kernel");
    while (statement.step()) {
        visitor(read_row(statement, implementation_->database().path()));
    }
}

std::vector<StoredResult> ResultStore::select(const ResultFilter& filter) const
{
    std::vector<StoredResult> results;
    visit(filter, [&](const StoredResult& result) { results.push_back(result); });
    return results;
}

std::int64_t ResultStore::count(const ResultFilter& filter) const
{
    SqliteStatement statement = result_query(implementation_->database(), "count(*)", filter, "");
    return statement.step() ? statement.integer(0).value_or(0) : 0;
}

namespace {

/// Takes rows over one by one, in one transaction: all of them, or none.
class Merge {
public:
    explicit Merge(SqliteDatabase& database)
        : transaction_(database, SqliteTransaction::Kind::writes),
          insert_(database, result_insertion("INSERT OR IGNORE")),
          replace_(database, result_insertion("INSERT OR REPLACE")),
          stamp_(database, fmt::format("SELECT timestamp FROM results WHERE {}", of_result_key)),
          database_(&database)
    {}

    void add(const StoredResult& row)
    {
        write_row(insert_, row);
        if (database_->changes() > 0) {
            ++counts_.added;
            return;
        }
        // The key is there already: the row with the later time stamp stays.
        bind_key(stamp_, row.key);
        const bool later = stamp_.step() && row.timestamp > stamp_.text(0);
        stamp_.reset();
        if (later) {
            write_row(replace_, row);
        }
        ++(later ? counts_.replaced : counts_.kept);
    }

    [[nodiscard]] MergeCounts commit()
    {
        transaction_.commit();
        return counts_;
    }

private:
    SqliteTransaction transaction_;
    SqliteStatement insert_, replace_, stamp_;
    SqliteDatabase* database_;
    MergeCounts counts_;
};

} // namespace

MergeCounts ResultStore::merge(const ResultStore& other)
{
    if (&other == this) {
        return {0, 0, count()};
    }
    Merge merge(implementation_->database());
    other.visit({}, [&](const StoredResult& row) { merge.add(row); });
    return merge.commit();
}

MergeCounts ResultStore::merge(const std::vector<StoredResult>& results)
{
    Merge merge(implementation_->database());
    for (const StoredResult& row : results) {
        merge.add(row);
    }
    return merge.commit();
}

} // namespace texelscope::workbench::store
