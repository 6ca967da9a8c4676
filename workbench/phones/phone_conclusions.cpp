#include "workbench/phones/phone_conclusions.hpp"

#include "base/error.hpp"
#include "devices/targets/job_target.hpp"
#include "workbench/machines/identified_machines.hpp"
#include "workbench/machines/measured_kernel.hpp"
#include "workbench/probes/identify_rounds.hpp"
#include "workbench/probes/profile/identified_profile.hpp"
#include "workbench/probes/profile/measured_profile.hpp"
#include "workbench/store/result_clocks.hpp"
#include "workbench/tuning/bottleneck_price.hpp"

#include <fmt/format.h>

#include <utility>

namespace texelscope::workbench::phones {
namespace {

/// Runs a step that may find out that it cannot be done; a note then says why.
template <class Step>
void attempt(std::vector<std::string>& notes, const std::string& what, const Step& step)
{
    try {
        step();
    } catch (const Error& error) {
        notes.push_back(what + ": " + error.what());
    }
}

double predicted_ns(const StoredResult& result, const DeviceProfile& profile)
{
    try {
        return bottleneck_price(parse_operator(result.op, result.shape, result.padding), profile,
                                parse_schedule(result.config))
            .value_or(Nanoseconds{0})
            .value;
    } catch (const Error&) {
        return 0; // beyond a limit of the profile
    }
}

} // namespace

PhoneConclusions conclusions_of(const PhoneRecord& record, const DeviceProfile& base,
                                const SearchOptions& search, int threads, const Progress& progress,
                                const StopToken& stop)
{
    constexpr std::size_t steps = 2;
    PhoneConclusions found;
    found.profile = base;
    const std::string source =
        fmt::format("texelscope phone: {}, driver {}, {}", record.device.info.name,
                    record.device.info.driver, record.month);
    std::vector<ProbeFinding> findings;
    for (const ProbeRecord& probe : record.probes) {
        findings.insert(findings.end(), probe.result.findings.begin(), probe.result.findings.end());
    }
    attempt(found.notes, "values of probes are not in the profile", [&] {
        found.profile =
            measured_profile(found.profile, target_info(record.device.info), findings, source);
    });
    if (record.walks) {
        attempt(found.notes, "the walks say nothing of a cache", [&] {
            IdentifyOptions options;
            options.seed = search.seed;
            options.threads = threads;
            options.extra_layouts = profile_layouts();
            found.identification =
                identify(*record.walks, options, part_progress(progress, 0, steps, "cache"), stop);
            found.explained = explains_walks(*found.identification);
        });
    } else {
        found.notes.push_back("no walks were measured: " + record.no_walks);
    }
    if (found.explained) {
        attempt(found.notes, "the cache that was identified is not in the profile", [&] {
            found.profile =
                identified_profile(found.profile, *found.identification,
                                   fmt::format("{}, {} walks", source, record.walks->size()));
        });
    } else if (found.identification) {
        found.notes.emplace_back("no texture cache explains the walks");
    }
    const std::vector<StoredResult> best = at_highest_clock(record.kernels);
    attempt(found.notes, "no machines are identified", [&] {
        MachinesQuestion question{.device = found.profile,
                                  .kernels = measured_kernels(best, "the phone's kernels")};
        question.kernels_of_task = 0;
        question.search = search;
        question.sources = {source};
        question.threads = threads;
        found.machines =
            identified_machines(question, part_progress(progress, 1, steps, "machines"), stop);
        found.profile = identified_device(*found.machines, found.profile);
    });
    for (const StoredResult& result : best) {
        const bool ran = result.status == RunStatus::ok;
        found.kernels.push_back({result, ran ? predicted_ns(result, base) : 0,
                                 ran ? predicted_ns(result, found.profile) : 0});
    }
    return found;
}

} // namespace texelscope::workbench::phones
