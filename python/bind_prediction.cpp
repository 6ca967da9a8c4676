#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>

namespace texelscope::python {
namespace {

/// What the model says of a study.
struct Predicted {
    Prediction prediction;
    VariantChoice choice;

    [[nodiscard]] const KernelCost& cost() const { return prediction.cost(choice.variant); }
};

Predicted predicted(const Study& study, const std::string& variant)
{
    LongCall call;
    return call.run([&] {
        const StopToken stop = call.stop();
        return Predicted{
            predict(study.op(), study.schedule(), study.device(), *study.calibration(stop), stop),
            variant_named(variant)};
    });
}

/// The thread level by image, in TMModel's symbols: a warp has w distinct thread indices in the
/// image, each keeps s lines in use, and L_t is the latency of a work-item's reads.
ResultTable table_of(const Predicted& self)
{
    ResultTable table{{"image", "pattern", "s", "w", "accesses", "L_t ns"}, {}};
    for (std::size_t i = 0; i < self.prediction.kernel.inputs.size(); ++i) {
        const auto& input = self.prediction.kernel.inputs[i];
        table.rows.push_back({input.image, input.pattern, std::int64_t{input.warp.s},
                              std::int64_t{input.warp.w}, input.histogram.accesses,
                              self.cost().thread[i].value});
    }
    return table;
}

std::string heading_of(const Predicted& self)
{
    return fmt::format("{}: {:.4g} us", to_string(self.choice.variant),
                       self.cost().kernel.value / 1000);
}

std::map<std::string, double> variants_of(const Predicted& self)
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
    nb::class_<Predicted> prediction(module, "Prediction",
                                     "The model's answer, level by level; times are nanoseconds.");
    prediction
        .def_prop_ro(
            "ns", [](const Predicted& self) { return self.cost().kernel.value; },
            "L, of the whole launch.")
        .def_prop_ro("variant",
                     [](const Predicted& self) { return to_string(self.choice.variant); })
        .def_prop_ro(
            "variant_because", [](const Predicted& self) { return self.choice.why; },
            "Why it was taken; empty: it was asked for.")
        .def_prop_ro("variants", &variants_of, "The time by each variant of the model.")
        .def_prop_ro(
            "warp_ns", [](const Predicted& self) { return self.cost().warp.value; },
            "L_w (equation 3).")
        .def_prop_ro(
            "exponent", [](const Predicted& self) { return self.cost().exponent; },
            "Of D, over all inputs.")
        .def_prop_ro(
            "occupancy_groups", [](const Predicted& self) { return self.cost().occupancy_groups; },
            "L_g (equation 6).")
        .def_prop_ro(
            "confidence", [](const Predicted& self) { return self.prediction.confidence; },
            "In (0, 1]: how near the inputs' strides are to the calibrated walks.")
        .def("__repr__",
             [](const Predicted& self) { return "Prediction(" + heading_of(self) + ")"; });
    add_table_members(prediction, table_of, heading_of);
    study.def("predict", &predicted, nb::arg("variant") = "",
              "The model's time. variant: literal (the paper's), refined, reuse-aware or "
              "bottleneck; empty: the one "
              "that agrees "
              "best. The first call fits the model to the simulated device.");
}

} // namespace texelscope::python
