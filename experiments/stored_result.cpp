#include "experiments/stored_result.hpp"

#include "experiments/sha256.hpp"
#include "model/median.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>

namespace texelscope {
namespace {

struct NamedStatus {
    ResultStatus status;
    const char* name;
};
constexpr std::array<NamedStatus, 6> status_names{{{ResultStatus::ok, "ok"},
                                                   {ResultStatus::unsupported, "unsupported"},
                                                   {ResultStatus::build_failed, "build-failed"},
                                                   {ResultStatus::failed, "failed"},
                                                   {ResultStatus::timed_out, "timed-out"},
                                                   {ResultStatus::wrong_output, "wrong-output"}}};

} // namespace

std::string kernel_digest(const LoopNest& nest, TexelBackend backend)
{
    return sha256(fmt::format("groups {}, local {}\n{}", fmt::join(nest.groups, "x"), fmt::join(nest.local, "x"),
                              opencl_text(nest, backend)));
}

std::string settings_digest(std::string_view settings)
{
    return sha256(settings);
}

std::string to_string(ResultStatus status)
{
    return std::find_if(status_names.begin(), status_names.end(), [&](const auto& one) { return one.status == status; })
        ->name;
}

ResultStatus parse_result_status(const std::string& text)
{
    const auto* const found =
        std::find_if(status_names.begin(), status_names.end(), [&](const auto& one) { return one.name == text; });
    if (found == status_names.end()) {
        throw bad_input("'" + text + "' is no status of a result", "",
                        "use ok, unsupported, build-failed, failed, timed-out or wrong-output");
    }
    return found->status;
}

ResultStatus result_status(Measurement::Status status, const std::string& reason, bool output_passed)
{
    switch (status) {
    case Measurement::Status::ok:
        return output_passed ? ResultStatus::ok : ResultStatus::wrong_output;
    case Measurement::Status::unsupported:
        return ResultStatus::unsupported;
    case Measurement::Status::timed_out:
        return ResultStatus::timed_out;
    case Measurement::Status::failed:
        break;
    }
    return reason.starts_with("the kernel does not build") ? ResultStatus::build_failed : ResultStatus::failed;
}

double StoredResult::median_ns() const
{
    if (samples_ns.empty()) {
        return 0;
    }
    const bool comparable = std::none_of(samples_ns.begin(), samples_ns.end(), [](double x) { return std::isnan(x); });
    return comparable ? median(samples_ns) : std::numeric_limits<double>::quiet_NaN();
}

StoredResult stored_result(ResultKey key, const Operator& op, const Schedule& schedule, const CheckedRun& run)
{
    const Measurement& measured = run.measurement;
    StoredResult result;
    result.key = std::move(key);
    result.op = op.name;
    result.shape = fmt::format("{}", fmt::join(op.shape, ","));
    result.padding = op.padding;
    result.config = to_string(schedule);
    result.status = result_status(measured.status, measured.reason, run.check.passed);
    result.reason = result.status == ResultStatus::wrong_output
                        ? fmt::format("the output differs from the reference: relative error {:.3g}, allowed {:.3g}",
                                      run.check.max_rel, run.check.tolerance)
                        : measured.reason;
    result.samples_ns = measured.samples_ns;
    result.check = run.check;
    return result;
}

std::string utc_timestamp()
{
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                       utc.tm_hour, utc.tm_min, utc.tm_sec);
}

} // namespace texelscope
