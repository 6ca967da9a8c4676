#pragma once

#include "tests/base/random.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "workbench/store/stored_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace workbench::store;

/// Every member of a row as text, numbers with all their bits; but NaN is NaN.
inline std::string text_of(const StoredResult& r)
{
    const auto bits = [](double x) { return x != x ? std::string("nan") : fmt::format("{:a}", x); };
    std::string samples;
    for (const double sample : r.samples_ns) {
        samples += bits(sample) + " ";
    }
    const ResultKey& key = r.key;
    return fmt::format("key [{}|{}|{}|{}|{}|{}] {} {} {} {} {} [{}] samples [{}] check {} {} {} {} "
                       "times {} {} {} {} "
                       "{} {} at {} seed {} wall clock {} reference {} {}",
                       key.kernel, key.judge, key.device, key.driver, key.program, key.settings,
                       r.op, r.shape, r.padding, r.config, to_string(r.status), r.reason, samples,
                       r.check.passed, bits(r.check.max_abs), bits(r.check.max_rel),
                       bits(r.check.tolerance), bits(r.times.compile), bits(r.times.benchmark),
                       bits(r.times.verification), bits(r.times.strategy), bits(r.times.framework),
                       bits(r.times.total), r.timestamp,
                       r.seed ? std::to_string(*r.seed) : "unknown", r.wall_clock,
                       bits(r.reference.median_ns), bits(r.reference.spread));
}

inline std::vector<std::string> texts_of(const std::vector<StoredResult>& rows)
{
    std::vector<std::string> texts;
    for (const StoredResult& row : rows) {
        texts.push_back(text_of(row));
    }
    return texts;
}

/// Whole and odd times, very large and very small ones, now and then what is no finite number.
inline double random_time(Random& random, bool finite)
{
    if (!finite && random.one_in(6)) {
        return random.pick<double>({std::numeric_limits<double>::quiet_NaN(),
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(), 5e-324, 1.7e308});
    }
    const auto whole = static_cast<double>(random.between(1, std::int64_t{1} << 40));
    return random.one_in(2) ? whole : whole / static_cast<double>(random.between(3, 999983));
}

inline std::string random_reason(Random& random)
{
    const std::vector<std::string> pieces{
        "a",      " ",      "'",           "\"",   ",",  ";",         "\\",   "\n", "\t",
        "größe",  "図",     "🙂",        "}\n}", "%s", "-- ; DROP", "\x01", "x",  "InvalidConfig",
        "{\"a\"", "\u2028", "<b>&amp;</b>"};
    std::string text;
    for (int i = random.small(0, 8); i > 0; --i) {
        text += random.pick(pieces);
    }
    return text;
}

inline RunStatus random_status(Random& random)
{
    return random.one_in(2)
               ? RunStatus::ok
               : random.pick<RunStatus>({RunStatus::unsupported, RunStatus::build_failed,
                                         RunStatus::failed, RunStatus::timed_out,
                                         RunStatus::wrong_output});
}

/// A row with anything in it but operator, shape, padding, configuration and the key, which are
/// left empty.
inline StoredResult random_outcome(Random& random, bool finite)
{
    StoredResult row;
    row.status = random_status(random);
    row.reason = row.status == RunStatus::ok ? "" : random_reason(random);
    const bool ran = row.status == RunStatus::ok || row.status == RunStatus::wrong_output;
    for (int i = ran ? random.small(1, 9) : 0; i > 0; --i) {
        row.samples_ns.push_back(random_time(random, finite));
    }
    row.check = {row.status == RunStatus::ok, random_time(random, finite),
                 random_time(random, finite), random_time(random, finite)};
    row.times = {random_time(random, finite), random_time(random, finite),
                 random_time(random, finite), random_time(random, finite),
                 random_time(random, finite), random_time(random, finite)};
    row.timestamp =
        random.one_in(5) ? "" : fmt::format("2026-11-{:02}T07:41:24Z", random.small(1, 30));
    if (!random.one_in(4)) {
        row.seed = random.one_in(3) ? std::numeric_limits<std::uint64_t>::max()
                                    : static_cast<std::uint64_t>(random.between(0, 1000));
    }
    row.wall_clock = ran && random.one_in(2);
    if (ran && random.one_in(2)) {
        row.reference = {static_cast<double>(random.between(1, 1000000)),
                         1 + static_cast<double>(random.between(0, 100)) / 64};
    }
    return row;
}

/// Rows of one operator on one device, as the file of an auto-tuner has them: configurations that
/// differ.
inline std::vector<StoredResult> random_group(Random& random, std::size_t rows, bool finite)
{
    const Operator op = random_operator(random, random.pick(operator_names()));
    const ResultKey key{"",
                        random.pick<std::string>({"device", "simulator"}),
                        "GPU \"of\" " + random_reason(random),
                        random.pick<std::string>({"", "580.1, beta"}),
                        "0.1.0",
                        settings_digest(random_reason(random))};
    std::vector<StoredResult> group;
    std::vector<std::string> seen;
    for (std::size_t draw = 0; group.size() < rows && draw < 20 * rows; ++draw) {
        const Schedule schedule = random_schedule(random, op);
        StoredResult row = random_outcome(random, finite);
        row.key = key;
        row.key.kernel = settings_digest(to_string(schedule));
        row.op = op.name;
        row.shape = fmt::format("{}", fmt::join(op.shape, ","));
        row.padding = op.padding;
        row.config = to_string(schedule);
        if (std::find(seen.begin(), seen.end(), row.config) == seen.end()) {
            seen.push_back(row.config);
            group.push_back(std::move(row));
        }
    }
    return group;
}

/// A row with a key of its own for every `number`, whatever is in it.
inline StoredResult numbered_result(std::uint64_t seed, int number)
{
    Random random(seed * 1'000'003 + static_cast<std::uint64_t>(number));
    StoredResult row = random_outcome(random, false);
    row.op = random.pick<std::string>({"matmul", "conv2d"});
    row.shape = random.pick<std::string>({"64,64,64", "8,8,8"});
    row.padding = random.pick<std::string>({"", "same"});
    row.config = fmt::format("A=row,column;T=4x4;W=8x8;G=8x{}x1", 8 * (1 + number % 7));
    row.key = {settings_digest(fmt::format("{} {}", seed, number)),
               random.pick<std::string>({"device", "simulator", "model"}),
               random.pick<std::string>({"A' OR 1=1", "größe", ""}),
               random.pick<std::string>({"", "1"}),
               "0.1.0",
               settings_digest("")};
    return row;
}

} // namespace texelscope::test
