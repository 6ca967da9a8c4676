#include "experiments/result_store.hpp"

#include "experiments/sqlite_statement.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <filesystem>
#include <string_view>
#include <utility>

namespace texelscope {
namespace {

constexpr int patience_ms = 60'000;
constexpr std::int64_t schema_version = 1;
constexpr std::int64_t application_id = 0x5458'5253; ///< "TXRS"; tells a store from other SQLite files

/// In the order of write_row() and read_row().
constexpr const char* columns = "kernel, judge, device, driver, program, settings, operator, shape, padding, config, "
                                "status, reason, samples, median, max_abs, max_rel, tolerance, compile_ns, "
                                "benchmark_ns, verification_ns, strategy_ns, framework_ns, total_ns, timestamp, seed";
constexpr int column_count = 25;
constexpr const char* of_key = "kernel = ?1 AND judge = ?2 AND device = ?3 AND driver = ?4 AND program = ?5 AND "
                               "settings = ?6";

// Numbers may be null, which stands for NaN.
constexpr const char* create_schema = R"(
CREATE TABLE results (
    kernel TEXT NOT NULL, judge TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL, program TEXT NOT NULL,
    settings TEXT NOT NULL,
    operator TEXT NOT NULL, shape TEXT NOT NULL, padding TEXT NOT NULL, config TEXT NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL,
    samples BLOB NOT NULL, median REAL,
    max_abs REAL, max_rel REAL, tolerance REAL,
    compile_ns REAL, benchmark_ns REAL, verification_ns REAL, strategy_ns REAL, framework_ns REAL, total_ns REAL,
    timestamp TEXT NOT NULL, seed INTEGER,
    PRIMARY KEY (kernel, judge, device, driver, program, settings)
) STRICT;
CREATE INDEX results_of ON results (operator, shape, padding, device, judge);
)";

std::array<const std::string*, 6> parts(const ResultKey& key)
{
    return {&key.kernel, &key.judge, &key.device, &key.driver, &key.program, &key.settings};
}

void bind_key(SqliteStatement& statement, const ResultKey& key)
{
    int place = 0;
    for (const std::string* part : parts(key)) {
        statement.bind(++place, *part);
    }
}

/// Runs the statement with a row's values, which are its parameters from the first on.
void write_row(SqliteStatement& statement, const StoredResult& row)
{
    bind_key(statement, row.key);
    int place = 6;
    for (const std::string* text : {&row.op, &row.shape, &row.padding, &row.config}) {
        statement.bind(++place, *text);
    }
    statement.bind(++place, to_string(row.status));
    statement.bind(++place, row.reason);
    statement.bind_blob(++place, row.samples_ns);
    for (const double number :
         {row.median_ns(), row.check.max_abs, row.check.max_rel, row.check.tolerance, row.times.compile,
          row.times.benchmark, row.times.verification, row.times.strategy, row.times.framework, row.times.total}) {
        statement.bind(++place, number);
    }
    statement.bind(++place, row.timestamp);
    statement.bind(++place, row.seed ? std::optional(std::bit_cast<std::int64_t>(*row.seed)) : std::nullopt);
    statement.run();
}

ResultStatus read_status(const std::string& text, const std::string& path)
{
    try {
        return parse_result_status(text);
    } catch (const Error& error) {
        throw bad_input(error.what(), path);
    }
}

/// `path` is for messages.
StoredResult read_row(const SqliteStatement& statement, const std::string& path)
{
    int column = 0;
    StoredResult row;
    for (std::string* text : {&row.key.kernel, &row.key.judge, &row.key.device, &row.key.driver, &row.key.program,
                              &row.key.settings, &row.op, &row.shape, &row.padding, &row.config}) {
        *text = statement.text(column++);
    }
    row.status = read_status(statement.text(column++), path);
    row.reason = statement.text(column++);
    row.samples_ns = statement.blob(column++);
    ++column; // the median, which is there for those who look at the file with SQLite's own tools
    for (double* number :
         {&row.check.max_abs, &row.check.max_rel, &row.check.tolerance, &row.times.compile, &row.times.benchmark,
          &row.times.verification, &row.times.strategy, &row.times.framework, &row.times.total}) {
        *number = statement.real(column++);
    }
    row.timestamp = statement.text(column++);
    if (const auto seed = statement.integer(column)) {
        row.seed = std::bit_cast<std::uint64_t>(*seed);
    }
    row.check.passed = row.status == ResultStatus::ok;
    return row;
}

/// A WHERE clause, and its values.
std::pair<std::string, std::vector<std::string>> condition_of(const ResultFilter& filter)
{
    std::string text;
    std::vector<std::string> values;
    const auto add = [&](const char* condition, const std::string& value) {
        if (!value.empty()) {
            text += fmt::format("{} {}", values.empty() ? " WHERE" : " AND", condition);
            values.push_back(value);
        }
    };
    add("operator = ?", filter.op);
    add("shape = ?", filter.shape);
    add("padding = ?", filter.padding);
    add("device = ?", filter.device);
    add("judge = ?", filter.judge);
    add("driver = ?", filter.driver);
    add("program = ?", filter.program);
    add("instr(settings, ?) = 1", filter.settings);
    return {text, values};
}

SqliteStatement query(SqliteDatabase& database, const char* what, const ResultFilter& filter, const char* order)
{
    const auto [condition, values] = condition_of(filter);
    SqliteStatement statement(database, fmt::format("SELECT {} FROM results{}{}", what, condition, order));
    int place = 0;
    for (const std::string& value : values) {
        statement.bind(++place, value);
    }
    return statement;
}

std::string insertion(const char* kind)
{
    std::string places = "?1";
    for (int i = 2; i <= column_count; ++i) {
        places += fmt::format(", ?{}", i);
    }
    return fmt::format("{} INTO results ({}) VALUES ({})", kind, columns, places);
}

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
            if (!has_schema()) { // another process may have been quicker
                database_.execute(create_schema);
                database_.execute(
                    fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, schema_version)
                        .c_str());
            }
            transaction.commit();
        }
        if (opening == StoreOpening::create) {
            database_.use_write_ahead_log();
        }
        database_.execute("PRAGMA synchronous = full"); // a committed row outlives a power cut, too
    }

    [[nodiscard]] SqliteDatabase& database() { return database_; }

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

    /// The same, outside of a transaction.
    bool had_schema()
    {
        const SqliteTransaction transaction(database_, SqliteTransaction::Kind::reads);
        return has_schema();
    }

    /// False for a new file. Throws bad_input for one that is not ours. Its questions belong together, and so into one
    /// transaction: another process may be making the store.
    bool has_schema()
    {
        const std::int64_t application = database_.number("PRAGMA application_id");
        const std::int64_t version = database_.number("PRAGMA user_version");
        if (application == 0 && version == 0 && database_.number("SELECT count(*) FROM sqlite_schema") == 0) {
            return false;
        }
        if (application != application_id) {
            throw bad_input("this is a database of another program", database_.path(),
                            "give a store of results, or the name of a new file");
        }
        if (version != schema_version) {
            throw bad_input(fmt::format("the store has version {}, and this program knows {}", version, schema_version),
                            database_.path(), "use the program that wrote it, or a later one");
        }
        return true;
    }

    SqliteDatabase database_;
};

ResultStore::ResultStore(const std::string& path, StoreOpening opening)
    : implementation_(std::make_unique<Implementation>(path, opening))
{}

ResultStore::~ResultStore() = default;
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

std::optional<StoredResult> ResultStore::find(const ResultKey& key) const
{
    SqliteStatement statement(implementation_->database(),
                              fmt::format("SELECT {} FROM results WHERE {}", columns, of_key));
    bind_key(statement, key);
    return statement.step() ? std::optional(read_row(statement, implementation_->database().path())) : std::nullopt;
}

void ResultStore::put(const StoredResult& result)
{
    SqliteTransaction transaction(implementation_->database(), SqliteTransaction::Kind::writes);
    SqliteStatement statement(implementation_->database(), insertion("INSERT OR REPLACE"));
    write_row(statement, result);
    transaction.commit();
}

void ResultStore::put(const std::vector<StoredResult>& results)
{
    SqliteTransaction transaction(implementation_->database(), SqliteTransaction::Kind::writes);
    SqliteStatement statement(implementation_->database(), insertion("INSERT OR REPLACE"));
    for (const StoredResult& result : results) {
        write_row(statement, result);
    }
    transaction.commit();
}

void ResultStore::visit(const ResultFilter& filter, const std::function<void(const StoredResult&)>& visitor) const
{
    SqliteStatement statement = query(implementation_->database(), columns, filter,
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
    SqliteStatement statement = query(implementation_->database(), "count(*)", filter, "");
    return statement.step() ? statement.integer(0).value_or(0) : 0;
}

namespace {

/// Takes rows over one by one inside of a transaction.
class Merge {
public:
    explicit Merge(SqliteDatabase& database)
        : transaction_(database, SqliteTransaction::Kind::writes), insert_(database, insertion("INSERT OR IGNORE")),
          replace_(database, insertion("INSERT OR REPLACE")),
          stamp_(database, fmt::format("SELECT timestamp FROM results WHERE {}", of_key)), database_(&database)
    {}

    void add(const StoredResult& row)
    {
        write_row(insert_, row);
        if (database_->changes() > 0) {
            ++counts_.added;
            return;
        }
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

} // namespace texelscope
