#include "workbench/phones/phone_session.hpp"

#include "base/error.hpp"
#include "workbench/phones/phone_kernels.hpp"
#include "workbench/probes/identified.hpp"
#include "workbench/probes/probe_folder.hpp"
#include "workbench/probes/saved_walks.hpp"
#include "workbench/store/result_clocks.hpp"
#include "workbench/store/result_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace texelscope::workbench::phones {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& path)
{
    std::error_code error;
    fs::create_directories(path, error);
    if (!fs::is_directory(path)) {
        throw bad_input("this folder cannot be made: " + error.message(), path.string(),
                        "name another one");
    }
}

std::vector<ProbeRecord> measured_probes(const PhoneDevice& phone, const PhonePlan& plan,
                                         const std::string& folder, const Progress& progress,
                                         const StopToken& stop)
{
    const nlohmann::ordered_json settings{{"target", probes::to_json(phone.target)},
                                          {"samples", plan.probes.samples},
                                          {"seed", plan.seed}};
    make_folder(folder);
    const ProbeFolder kept(folder, settings);
    ProbeRun run{phone.open, phone.simulated ? std::nullopt : std::optional(plan.probe_seconds),
                 plan.probes};
    run.options.seed = plan.seed;
    run.options.stop = stop;
    std::vector<const Probe*> wanted;
    for (const Probe& probe : probes::probes()) {
        if (std::ranges::count(probe.suites, "archprobe") > 0) {
            wanted.push_back(&probe);
        }
    }
    std::vector<ProbeRecord> records;
    Known known;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Probe& probe = *wanted[i];
        tell(progress, "probe " + probe.name, i, wanted.size());
        std::optional<ProbeRecord> record = kept.find(probe.name);
        if (!record) {
            record = run_probe(probe, run, phone.target, known);
            kept.keep(probe, *record, phone.target.name);
        }
        learn(known, *record);
        records.push_back(std::move(*record));
    }
    return records;
}

/// Measures walks, or says why there are none.
void measure_walks(PhoneRecord& record, const PhoneDevice& phone, const PhonePlan& plan,
                   const std::string& prefix, const Progress& progress, const StopToken& stop)
{
    IdentifyOptions options;
    options.seed = plan.seed;
    options.threads = plan.threads;
    options.folds = 2; // which walks are asked next does not depend on it
    try {
        const std::unique_ptr<Target> target = phone.open(stop);
        Identified found = identify_target(*target, plan.walks, plan.walk_samples, prefix, options,
                                           progress, stop);
        record.walks = std::move(found.rounds.measured);
    } catch (const Error& error) {
        // What a device cannot do is a finding; a lost device, or a file that is wrong, is not.
        if (error.kind() != Error::Kind::missing) {
            throw;
        }
        (void)phone.open(stop)->info();
        record.no_walks = error.what();
    }
}

/// Measures kernels in passes, each kernel and pass once, into a store.
class KernelPasses {
public:
    KernelPasses(const PhoneDevice& phone, const PhonePlan& plan, const std::string& file,
                 Progress progress, StopToken stop)
        : phone_(phone),
          kernels_(phone_kernels(phone.profile, phone.device.info, plan.kernels, plan.seed)),
          store_(file), progress_(std::move(progress)), stop_(std::move(stop))
    {}

    [[nodiscard]] std::vector<StoredResult> measured(int passes)
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            order.push_back(i);
        }
        for (int pass = 0; pass < passes; ++pass) {
            run_pass(pass, order);
            std::ranges::reverse(order);
        }
        // What was never at the highest clock gets another chance.
        const std::vector<StoredResult> best = at_highest_clock(results_);
        const std::vector<ResultClock> clocks = result_clocks(best);
        std::set<std::string> again;
        for (std::size_t i = 0; i < best.size(); ++i) {
            if (best[i].status == RunStatus::ok && !clocks[i].highest()) {
                again.insert(best[i].key.kernel);
            }
        }
        std::erase_if(order, [&](std::size_t i) { return !again.contains(digests_[i]); });
        run_pass(passes, order);
        return std::move(results_);
    }

private:
    void run_pass(int pass, const std::vector<std::size_t>& order)
    {
        digests_.resize(kernels_.size());
        std::size_t done = 0;
        for (const std::size_t i : order) {
            tell(progress_, fmt::format("kernels, pass {}", pass + 1), done++, order.size());
            if (stop_ && stop_()) {
                throw Interrupted{};
            }
            const auto& [op, schedule] = kernels_[i];
            if (auto result = judged(timer_of(op, pass), op, schedule, &store_)) {
                digests_[i] = result->key.kernel;
                results_.push_back(std::move(*result));
            }
        }
    }

    /// The timer of an operator, whose answers are those of the pass.
    [[nodiscard]] OperatorTimer timer_of(const Operator& op, int pass)
    {
        const auto [known, fresh] = timers_.try_emplace(to_string(op));
        if (fresh) {
            known->second = phone_.timer(op);
        }
        const OperatorTimer& timer = known->second;
        OperatorTimer of_pass = timer;
        of_pass.key.judge = "device"; // though the simulator may stand in for one
        of_pass.key.device = phone_.device.info.name;
        of_pass.key.driver = phone_.device.info.driver;
        of_pass.key.settings = settings_digest(fmt::format("phone, pass {}", pass));
        of_pass.answer = [&timer, key = of_pass.key](const Operator& of, const Schedule& schedule,
                                                     const LoopNest& nest) {
            StoredResult result = timer.answer(of, schedule, nest);
            result.key = key;
            return result;
        };
        return of_pass;
    }

    const PhoneDevice& phone_;
    std::vector<PhoneKernel> kernels_;
    ResultStore store_;
    Progress progress_;
    StopToken stop_;
    std::map<std::string, OperatorTimer> timers_; ///< by operator
    std::vector<std::string> digests_;            ///< of each kernel; empty: it is not legal
    std::vector<StoredResult> results_;
};

} // namespace

PhoneRecord measure_phone(const PhoneDevice& phone, const PhonePlan& plan,
                          const std::string& folder, const std::string& program,
                          const Progress& progress, const StopToken& stop)
{
    constexpr std::size_t stages = 3;
    const fs::path in(folder);
    PhoneRecord record;
    record.program = program;
    record.month = utc_timestamp().substr(0, std::string("2026-11").size());
    record.simulated = phone.simulated;
    record.device = phone.device;
    record.device.info.index = 0;
    record.probes = measured_probes(phone, plan, (in / "probes").string(),
                                    part_progress(progress, 0, stages), stop);
    measure_walks(record, phone, plan, (in / "walks").string(),
                  part_progress(progress, 1, stages, "walks"), stop);
    record.kernels = KernelPasses(phone, plan, (in / "kernels.db").string(),
                                  part_progress(progress, 2, stages), stop)
                         .measured(plan.passes);
    return record;
}

} // namespace texelscope::workbench::phones
