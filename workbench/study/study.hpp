#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "workbench/study/bottlenecks.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study_request.hpp"
#include "workbench/study/time_over_machines.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// The model's answer to a StudyRequest: a value that the command line, Python, the window and the
/// report all render (workbench/report/prediction_json.hpp and prediction_tables.hpp).
struct PredictedStudy {
    StudyRequest request;
    LoopNest nest;
    Calibration calibration;
    Prediction prediction;
    VariantChoice variant; ///< variant whose time counts as the prediction, and that ranks
    /// Parts of the time by the variant bottleneck (time_parts()).
    std::vector<TimePart> parts;
    /// The time on the machines that the device can be; nothing unless asked for
    /// (workbench/machines), where there are none, and where none can run it.
    std::optional<TimeOverMachines> over_machines = {};

    [[nodiscard]] const KernelCost& cost() const { return prediction.cost(variant.variant); }
};

/// Asks every variant of the model about the request's configuration. Throws bad_input for a
/// configuration that is illegal or breaks a limit of the device, Interrupted when `stop` answers
/// true.
[[nodiscard]] PredictedStudy predict_study(StudyRequest request, Calibration calibration,
                                           VariantChoice variant, const StopToken& stop = {});

/// The answer to a StudyRequest: a value that the command line, the window and the report all
/// render.
///
/// What goes in: one request, of an operator, a schedule and a device profile. What comes out: the
/// kernel as loop nest and OpenCL text, its heat maps and counts from the simulator (the members of
/// LaunchResult), the model's prediction and, if asked for, the model's ranking of the
/// configuration space.
///
/// Order of calls: a caller fills in a StudyRequest (to_request() makes one of a user's texts),
/// calls run_study() once, and reads members. Nothing is computed later.
///
/// What always holds: kernel text, simulation and prediction all come from `nest`, so they speak of
/// the same reads; the simulated machine has the registers and the arithmetic that the device gives
/// this kernel (options_for()).
struct StudyResult : LaunchResult, PredictedStudy {
    std::string kernel_text; ///< OpenCL C of the native back end
    Ranking ranking;         ///< empty unless asked for
};

/// Runs the chain: loop nest, kernel text, simulation with heat maps, histograms, calibration,
/// prediction, ranking. `progress` goes from 0 to 1. Throws bad_input for a configuration that is
/// illegal or breaks a limit of the device, Interrupted when `stop` answers true.
[[nodiscard]] StudyResult run_study(const StudyRequest& request, const Progress& progress = {},
                                    const StopToken& stop = {});

} // namespace texelscope::workbench::study
