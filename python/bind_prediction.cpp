#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/report/prediction_tables.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>

namespace texelscope::python {
namespace {

PredictedStudy predicted(const Study& study, const std::string& variant)
{
    LongCall call;
    return call.run([&] {
        const StopToken stop = call.stop();
        return predict_study({study.op(), study.schedule(), study.device(), study.seed()},
                             *study.calibration(stop), variant_named(variant), stop);
    });
}

ResultTable table_of(const PredictedStudy& self)
{
    return with_units_apart(inputs_table(self));
}

/// The shares of the time by the variant bottleneck.
std::map<std::string, double> bounds_of(const PredictedStudy& self)
{
    std::map<std::string, double> shares;
    for (const TimePart& part : self.parts) {
        shares[part.name] = part.time.value / self.prediction.bottleneck.kernel.value;
    }
    return shares;
}

std::string heading_of(const PredictedStudy& self)
{
    return fmt::format("{}: {:.4g} us", to_string(self.variant.variant),
                       self.cost().kernel.value / 1000);
}

std::map<std::string, double> variants_of(const PredictedStudy& self)
{
    std::map<std::string, double> times;
    for (const ModelVariant variant : all_model_variants) {
        times[to_string(variant)] = self.prediction.cost(variant).kernel.value;
    }
    return times;
}

} // namespace

void add_predictions(nb::module_& module, nb::class_<Study>& study)
{
    nb::class_<PredictedStudy> prediction(
        module, "Prediction", "The model's answer, level by level; times are nanoseconds.");
    prediction
        .def_prop_ro(
            "ns", [](const PredictedStudy& self) { return self.cost().kernel.value; },
            "L, of the whole launch.")
        .def_prop_ro("variant",
                     [](const PredictedStudy& self) { return to_string(self.variant.variant); })
        .def_prop_ro(
            "variant_because", [](const PredictedStudy& self) { return self.variant.why; },
            "Why it was taken; empty: it was asked for.")
        .def_prop_ro("variants", &variants_of, "The time by each variant of the model.")
        .def_prop_ro(
            "warp_ns", [](const PredictedStudy& self) { return self.cost().warp.value; },
            "L_w (equation 3).")
        .def_prop_ro(
            "exponent", [](const PredictedStudy& self) { return self.cost().exponent; },
            "Of D, over all inputs.")
        .def_prop_ro(
            "occupancy_groups",
            [](const PredictedStudy& self) { return self.cost().occupancy_groups; },
            "L_g (equation 6).")
        .def_prop_ro("bounds", &bounds_of,
                     "What the time by the variant bottleneck is made of: shares of it by what "
                     "bounds the kernel, and the launch; they sum to 1.")
        .def_prop_ro(
            "bound_by", [](const PredictedStudy& self) { return largest_part(self.parts)->name; },
            "The largest of the bounds.")
        .def_prop_ro(
            "confidence", [](const PredictedStudy& self) { return self.prediction.confidence; },
            "In (0, 1]: how near the inputs' strides are to the calibrated walks.")
        .def("__repr__",
             [](const PredictedStudy& self) { return "Prediction(" + heading_of(self) + ")"; });
    add_table_members(prediction, table_of, heading_of);
    study.def("predict", &predicted, nb::arg("variant") = "",
              "The model's time. variant: literal (the paper's), refined, reuse-aware or "
              "bottleneck; empty: the one "
              "that agrees "
              "best. The first call fits the model to the simulated device.");
}

} // namespace texelscope::python
