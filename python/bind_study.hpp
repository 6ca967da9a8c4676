#pragma once

#include "python/arrays.hpp"
#include "python/bind_launch.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::python {

/// One operator in one configuration on one device, and what is asked of it again and again. It is
/// the centre of the package: Study in Python has a member for each question, and each bind_*.cpp
/// adds its own.
///
/// It never changes, so it can be asked from several threads. with() makes another configuration of
/// it, which shares the calibration, as this depends on device and seed alone.
class Study {
public:
    struct Fitted;

    /// Throws bad_input for what does not fit together, as to_request() does. `fitted`: of a study
    /// with the same device and seed.
    Study(Operator op, Schedule schedule, DeviceProfile device, std::uint64_t seed,
          std::shared_ptr<Fitted> fitted = {});

    [[nodiscard]] const Operator& op() const { return op_; }
    [[nodiscard]] const Schedule& schedule() const { return schedule_; }
    [[nodiscard]] const DeviceProfile& device() const { return device_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    [[nodiscard]] const LoopNest& nest() const { return nest_; }
    [[nodiscard]] const SimulatedLaunch& launch() const { return launch_; }
    [[nodiscard]] Study with(Schedule schedule) const
    {
        return {op_, std::move(schedule), device_, seed_, fitted_};
    }
    /// The model fitted on the simulated device, and kept. It may throw Interrupted.
    [[nodiscard]] std::shared_ptr<const Calibration> calibration(const StopToken& stop) const;

private:
    Operator op_;
    Schedule schedule_;
    DeviceProfile device_;
    std::uint64_t seed_;
    LoopNest nest_;
    SimulatedLaunch launch_;
    std::shared_ptr<Fitted> fitted_;
};

/// The variant of that name; empty: default_variant().
[[nodiscard]] VariantChoice variant_named(const std::string& name);

void add_studies(nb::module_& module);
// Members of a study, each with the class of its answer, in a file of its own.
void add_predictions(nb::module_& module, nb::class_<Study>& study);
void add_tuning(nb::module_& module, nb::class_<Study>& study);
void add_machines(nb::module_& module, nb::class_<Study>& study);
void add_crosschecks(nb::module_& module, nb::class_<Study>& study);
void add_kernel_runs(nb::module_& module, nb::class_<Study>& study);
void add_compiled_kernels(nb::module_& module, nb::class_<Study>& study);

} // namespace texelscope::python
