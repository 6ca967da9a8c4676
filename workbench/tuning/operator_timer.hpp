#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/store/stored_result.hpp"
#include "workbench/tuning/search.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::study {
struct SimulatedPart;
} // namespace texelscope::workbench::study

namespace texelscope::workbench::tuning {

/// A configuration that a judge can be asked about.
struct LegalKernel {
    Schedule schedule;
    const LoopNest& nest;
};

/// What gives the configurations of an operator times.
struct OperatorTimer {
    ResultKey key; ///< but for the kernel: what the answers hang on
    /// Of the text that the kernel's digest is made of.
    TexelBackend backend = TexelBackend::native;
    std::function<void(const LoopNest&)> check =
        {}; ///< throws bad_input where a nest breaks a limit; empty: it never does
    /// The row of an operator's configuration, all but the kernel's digest and the time stamp. It
    /// may throw Interrupted.
    std::function<StoredResult(const Operator&, const Schedule&, const LoopNest&)> answer;

    /// The rows of several, in order, of a judge that answers them in little more time than one;
    /// empty: one by one.
    std::function<std::vector<StoredResult>(const Operator&, std::span<const LegalKernel>)>
        answers = {};
    /// Told which are asked for next, and what probably follows; empty: nobody wants to know.
    std::function<void(const std::vector<LoopNest>&)> ahead = {};

    /// Throws bad_input for a configuration that is illegal or breaks a limit.
    [[nodiscard]] LoopNest legal_nest(const Operator& op, const Schedule& schedule) const;
};

/// The timed simulator: the kernel's time on the simulated device, whether its inputs are images or
/// buffers; what cannot be simulated breaks a limit. `program`: its version. The profile must
/// outlive the timer.
[[nodiscard]] OperatorTimer simulator_timer(const DeviceProfile& device,
                                            const study::SimulatedPart& part,
                                            const std::string& program, const StopToken& stop = {});
/// The same by samples of so many accesses.
[[nodiscard]] OperatorTimer simulator_timer(const DeviceProfile& device, std::int64_t most_accesses,
                                            const std::string& program, const StopToken& stop = {});

/// Runs on a device, on random inputs of that operator, with outputs that are checked; the timer is
/// for no other one. The device must outlive it.
[[nodiscard]] OperatorTimer device_timer(const Operator& op, const OpenClDevice& device,
                                         const RunOptions& options, std::uint64_t seed,
                                         const std::string& program);

/// Whether the device can launch a legal configuration, as far as its limits tell before it is
/// built.
[[nodiscard]] bool within_limits(const Operator& op, const Schedule& schedule,
                                 const OpenClDevice& device);

/// How answers came about.
struct JudgeCounts {
    std::int64_t judged = 0;
    std::int64_t from_store = 0;
    std::int64_t wall_clock = 0; ///< of both, those whose times are the host's
};

/// The times of the elements of a space. What is in the store is not judged again, and what is
/// judged goes into it at once; null: there is no store. Nothing for a configuration that is
/// illegal or breaks a limit, or whose answer is not ok. Several threads may ask, where the timer
/// answers several: the simulator's does. Operator, space, store and counts must outlive it.
[[nodiscard]] TimesOf times_in(const OperatorTimer& timer, const Operator& op,
                               const ConfigurationSpace& space, ResultStore* store = nullptr,
                               JudgeCounts* counts = nullptr);

/// Judges elements that were judged before once more, and gives the time of that answer alone. In
/// the store its samples are added to those that were there.
[[nodiscard]] TimesOf repeats_in(const OperatorTimer& timer, const Operator& op,
                                 const ConfigurationSpace& space, ResultStore* store = nullptr);

/// The key of an answer; nothing for a configuration that is illegal or breaks a limit.
[[nodiscard]] std::optional<ResultKey> key_of(const OperatorTimer& timer, const Operator& op,
                                              const Schedule& schedule);

/// One configuration, from the store or judged; nothing where it is illegal or breaks a limit.
[[nodiscard]] std::optional<StoredResult> judged(const OperatorTimer& timer, const Operator& op,
                                                 const Schedule& schedule,
                                                 ResultStore* store = nullptr,
                                                 JudgeCounts* counts = nullptr);

} // namespace texelscope::workbench::tuning
