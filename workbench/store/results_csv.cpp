#include "workbench/store/results_csv.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "traces/native/file_stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

namespace texelscope::workbench::store {
// The columns of the table in their order. A reader takes tables without the last ones, too.
namespace {

constexpr std::string_view header =
    "operator,shape,padding,judge,device,driver,program,settings,kernel,config,status,reason,"
    "median_ns,"
    "samples_ns,max_abs,max_rel,tolerance,compile_ns,benchmark_ns,verification_ns,strategy_ns,"
    "framework_ns,total_ns,timestamp,seed";
/// Columns that were added, version by version: whose clock the samples are from, and what the
/// reference kernel took.
constexpr std::string_view wall_clock_column = ",wall_clock";
constexpr std::string_view reference_columns = ",reference_ns,reference_spread";

/// The fields of one line, read in the order of the header.
class ResultLine {
public:
    ResultLine(const std::vector<std::string>& fields, std::string where)
        : fields_(fields), where_(std::move(where))
    {}

    [[nodiscard]] const std::string& text() { return fields_[next_++]; }

    [[nodiscard]] double number() { return parsed<double>(text()); }

    /// Nothing where the field is empty.
    [[nodiscard]] std::optional<std::uint64_t> seed()
    {
        const std::string& word = text();
        return word.empty() ? std::nullopt : std::optional(parsed<std::uint64_t>(word));
    }

    /// False where the line has no such field.
    [[nodiscard]] bool wall_clock()
    {
        const bool there = next_ < fields_.size();
        if (there && fields_[next_] != "0" && fields_[next_] != "1") {
            throw bad_input(fmt::format("wall_clock is '{}'", fields_[next_]), where_,
                            "write 0 or 1");
        }
        return there && text() == "1";
    }

    /// As if there had been no reference kernel where the line has no such fields.
    [[nodiscard]] ReferenceTimes reference()
    {
        if (next_ >= fields_.size()) {
            return {};
        }
        const double median = number();
        return {median, number()};
    }

    [[nodiscard]] RunStatus status()
    {
        const std::string& word = text();
        try {
            return parse_result_status(word);
        } catch (const Error& error) {
            throw bad_input(error.what(), where_);
        }
    }

    /// The samples. Throws bad_input for a result that is ok and has none, or one that is no time.
    [[nodiscard]] std::vector<double> times(RunStatus status)
    {
        std::vector<double> all;
        std::istringstream words(text());
        for (std::string word; words >> word;) {
            all.push_back(parsed<double>(word));
        }
        const auto is_time = [](double ns) { return std::isfinite(ns) && ns > 0; };
        if (status == RunStatus::ok &&
            (all.empty() || !std::all_of(all.begin(), all.end(), is_time))) {
            throw bad_input("it is ok, and its samples are no times", where_,
                            "give what results export --csv wrote");
        }
        return all;
    }

private:
    template <class Number>
    [[nodiscard]] Number parsed(const std::string& word) const
    {
        Number value{};
        const char* const end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, value);
        if (error != std::errc{} || stop != end) {
            throw bad_input(fmt::format("'{}' is not a number", word), where_,
                            "give what results export --csv wrote");
        }
        return value;
    }

    const std::vector<std::string>& fields_;
    std::string where_;
    std::size_t next_ = 0;
};

StoredResult result_of(ResultLine line)
{
    StoredResult r;
    for (std::string* part :
         {&r.op, &r.shape, &r.padding, &r.key.judge, &r.key.device, &r.key.driver, &r.key.program,
          &r.key.settings, &r.key.kernel, &r.config}) {
        *part = line.text();
    }
    r.status = line.status();
    r.check.passed = r.status == RunStatus::ok;
    r.reason = line.text();
    (void)line.text(); // the median follows from the samples
    r.samples_ns = line.times(r.status);
    for (double* value : {&r.check.max_abs, &r.check.max_rel, &r.check.tolerance, &r.times.compile,
                          &r.times.benchmark, &r.times.verification, &r.times.strategy,
                          &r.times.framework, &r.times.total}) {
        *value = line.number();
    }
    r.timestamp = line.text();
    r.seed = line.seed();
    r.wall_clock = line.wall_clock();
    r.reference = line.reference();
    return r;
}

} // namespace

std::string results_csv(const std::vector<StoredResult>& results)
{
    std::string text = fmt::format("{}{}{}\n", header, wall_clock_column, reference_columns);
    for (const StoredResult& r : results) {
        for (const std::string* part :
             {&r.op, &r.shape, &r.padding, &r.key.judge, &r.key.device, &r.key.driver,
              &r.key.program, &r.key.settings, &r.key.kernel, &r.config}) {
            text += csv_field(*part) + ",";
        }
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", to_string(r.status),
            csv_field(r.reason), r.median_ns(), fmt::join(r.samples_ns, " "), r.check.max_abs,
            r.check.max_rel, r.check.tolerance, r.times.compile, r.times.benchmark,
            r.times.verification, r.times.strategy, r.times.framework, r.times.total,
            csv_field(r.timestamp), r.seed ? std::to_string(*r.seed) : std::string(),
            r.wall_clock ? 1 : 0, r.reference.median_ns, r.reference.spread);
    }
    return text;
}

bool is_results_csv(std::string_view text)
{
    return (text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text)
        .starts_with(header);
}

std::vector<StoredResult> parse_results_csv(std::string_view text, const std::string& where)
{
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    const std::vector<std::vector<std::string>> rows = parse_csv(text, where);
    const auto is_header = [&](const std::string& names) {
        return rows.front() == parse_csv(names, "header").front();
    };
    const std::string first(header), second = first + std::string(wall_clock_column),
                                     third = second + std::string(reference_columns);
    if (rows.empty() || !(is_header(third) || is_header(second) || is_header(first))) {
        throw bad_input("this is no table of results", where,
                        "give what results export --csv wrote");
    }
    std::vector<StoredResult> results;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].size() == 1 && rows[i].front().empty()) {
            continue; // an empty line
        }
        const std::string here = fmt::format("{}, result {}", where, i);
        if (rows[i].size() != rows[0].size()) {
            throw bad_input(
                fmt::format("{} fields, the header has {}", rows[i].size(), rows[0].size()), here,
                "give what results export --csv wrote");
        }
        results.push_back(result_of({rows[i], here}));
    }
    return results;
}

} // namespace texelscope::workbench::store
