#include "workbench/store/result_rows.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>
#include <vector>

namespace texelscope::workbench::store {
// The columns of the table are written and read here, always in the order of result_columns().
namespace {

constexpr int column_count = 28;

RunStatus read_status(const std::string& text, const std::string& path)
{
    try {
        return parse_result_status(text);
    } catch (const Error& error) {
        throw bad_input(error.what(), path);
    }
}

/// The WHERE clause of a filter, and the values of its places.
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

} // namespace

std::string result_columns(std::int64_t version)
{
    return std::string(
               "kernel, judge, device, driver, program, settings, operator, shape, padding, "
               "config, status, "
               "reason, samples, median, max_abs, max_rel, tolerance, compile_ns, benchmark_ns, "
               "verification_ns, strategy_ns, framework_ns, total_ns, timestamp, seed, ") +
           (version < 2 ? "0" : "wall_clock") +
           (version < 3 ? ", 0.0, 1.0" : ", reference_ns, reference_spread");
}

void bind_key(SqliteStatement& statement, const ResultKey& key)
{
    int place = 0;
    for (const std::string* part :
         {&key.kernel, &key.judge, &key.device, &key.driver, &key.program, &key.settings}) {
        statement.bind(++place, *part);
    }
}

std::string result_insertion(const char* kind)
{
    std::string places = "?1";
    for (int i = 2; i <= column_count; ++i) {
        places += fmt::format(", ?{}", i);
    }
    return fmt::format("{} INTO results ({}) VALUES ({})", kind, result_columns(), places);
}

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
         {row.median_ns(), row.check.max_abs, row.check.max_rel, row.check.tolerance,
          row.times.compile, row.times.benchmark, row.times.verification, row.times.strategy,
          row.times.framework, row.times.total}) {
        statement.bind(++place, number);
    }
    statement.bind(++place, row.timestamp);
    // SQLite has no unsigned integers; the bits are kept.
    statement.bind(++place,
                   row.seed ? std::optional(std::bit_cast<std::int64_t>(*row.seed)) : std::nullopt);
    statement.bind(++place, std::optional<std::int64_t>(row.wall_clock ? 1 : 0));
    statement.bind(++place, row.reference.median_ns);
    statement.bind(++place, row.reference.spread);
    statement.run();
}

SqliteStatement result_query(SqliteDatabase& database, const std::string& what,
                             const ResultFilter& filter, const char* order)
{
    const auto [condition, values] = condition_of(filter);
    SqliteStatement statement(database,
                              fmt::format("SELECT {} FROM results{}{}", what, condition, order));
    int place = 0;
    for (const std::string& value : values) {
        statement.bind(++place, value);
    }
    return statement;
}

StoredResult read_row(const SqliteStatement& statement, const std::string& path)
{
    int column = 0;
    StoredResult row;
    for (std::string* text :
         {&row.key.kernel, &row.key.judge, &row.key.device, &row.key.driver, &row.key.program,
          &row.key.settings, &row.op, &row.shape, &row.padding, &row.config}) {
        *text = statement.text(column++);
    }
    row.status = read_status(statement.text(column++), path);
    row.reason = statement.text(column++);
    row.samples_ns = statement.blob(column++);
    ++column; // the median, which is there for those who look at the file with SQLite's own tools
    for (double* number : {&row.check.max_abs, &row.check.max_rel, &row.check.tolerance,
                           &row.times.compile, &row.times.benchmark, &row.times.verification,
                           &row.times.strategy, &row.times.framework, &row.times.total}) {
        *number = statement.real(column++);
    }
    row.timestamp = statement.text(column++);
    if (const auto seed = statement.integer(column++)) {
        row.seed = std::bit_cast<std::uint64_t>(*seed);
    }
    row.wall_clock = statement.integer(column++) == 1;
    row.reference.median_ns = statement.real(column++);
    row.reference.spread = statement.real(column);
    row.check.passed = row.status == RunStatus::ok;
    return row;
}

} // namespace texelscope::workbench::store
