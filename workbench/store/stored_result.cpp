#include "workbench/store/stored_result.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace texelscope::workbench::store {

std::string kernel_digest(const LoopNest& nest, TexelBackend backend)
{
    return sha256(fmt::format("groups {}, local {}\n{}", fmt::join(nest.groups, "x"),
                              fmt::join(nest.local, "x"), opencl_text(nest, backend)));
}

std::string settings_digest(std::string_view settings)
{
    return sha256(settings);
}

RunStatus parse_result_status(const std::string& text)
{
    if (const auto status = run_status_named(text); status && *status != RunStatus::crashed) {
        return *status;
    }
    throw bad_input("'" + text + "' is no status of a result", "",
                    "use ok, unsupported, build-failed, failed, timed-out or wrong-output");
}

double StoredResult::median_ns() const
{
    if (samples_ns.empty()) {
        return 0;
    }
    const bool comparable =
        std::none_of(samples_ns.begin(), samples_ns.end(), [](double x) { return std::isnan(x); });
    return comparable ? median(samples_ns) : std::numeric_limits<double>::quiet_NaN();
}

StoredResult row_of(ResultKey key, const Operator& op, const Schedule& schedule)
{
    StoredResult row;
    row.key = std::move(key);
    row.op = op.name;
    row.shape = fmt::format("{}", fmt::join(op.shape, ","));
    row.padding = op.padding;
    row.config = to_string(schedule);
    return row;
}

StoredResult stored_result(ResultKey key, const Operator& op, const Schedule& schedule,
                           const CheckedRun& run)
{
    const Measurement& measured = run.measurement;
    StoredResult result = row_of(std::move(key), op, schedule);
    result.status = run.status() == RunStatus::crashed ? RunStatus::failed : run.status();
    result.reason =
        result.status == RunStatus::wrong_output
            ? fmt::format(
                  "the output differs from the reference: relative error {:.3g}, allowed {:.3g}",
                  run.check.max_rel, run.check.tolerance)
            : measured.reason;
    result.samples_ns = measured.samples_ns;
    result.wall_clock = measured.wall_clock;
    result.reference = measured.reference;
    result.check = run.check;
    return result;
}

std::string utc_timestamp()
{
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                       utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

} // namespace texelscope::workbench::store
