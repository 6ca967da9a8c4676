#include "base/error.hpp"
#include "base/lists.hpp"
#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/tuning/tuned.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace texelscope::python {
namespace {

/// Throws bad_input for numbers out of range, and for what the strategy would not look at, as
/// `tune` does.
void check(const TuneQuestion& question)
{
    const Strategy& strategy = question.strategy;
    const bool named = question.model.variant.why.empty();
    if ((question.budget && *question.budget < 1) ||
        (question.seconds && !(*question.seconds > 0))) {
        throw bad_input("budget below 1, or seconds not above 0", "tune",
                        "give larger numbers, or None");
    }
    if (strategy.judge == Judge::model &&
        (question.budget || question.seconds || !question.on.empty() || !question.store.empty())) {
        throw bad_input("budget, seconds, on and store do not apply to strategy " + strategy.name,
                        "tune",
                        "leave them out, or use a strategy that searches, such as shortlist");
    }
    if (strategy.judge != Judge::model && !strategy.by_model && named) {
        throw bad_input("variant does not apply to strategy " + strategy.name, "tune",
                        "leave it out, or use a strategy that asks the model, such as shortlist");
    }
    if (strategy.judge == Judge::device && question.on.empty()) {
        throw bad_input("no device is named", "strategy " + strategy.name,
                        "give on=, e.g. on='pocl'");
    }
}

Tuned tuned(const Study& study, TuneQuestion question, const GivenProgress& progress)
{
    check(question);
    LongCall call(progress);
    return call.run([&] {
        const StopToken stop = call.stop();
        question.run.stop = stop;
        question.model.calibration = [&] { return *study.calibration(stop); };
        return tune(std::move(question), TEXELSCOPE_VERSION, call.progress(), stop);
    });
}

ResultTable table_of(const Tuned& self)
{
    const bool by_model = self.judge == Judge::model; // which says it twice
    const bool predicted = std::ranges::any_of(
        self.rows, [&](const RankedRow& row) { return by_model || row.predicted.has_value(); });
    ResultTable table{{"configuration", "ns"}, {}};
    if (predicted) {
        table.columns.push_back("predicted ns");
    }
    table.columns.push_back("alike");
    const bool rough = std::ranges::any_of(self.rows, &RankedRow::rough);
    if (rough) {
        table.columns.push_back("rough");
    }
    for (const RankedRow& row : self.rows) {
        std::vector<ResultTable::Value> cells{row.config, row.time.value};
        if (predicted) {
            const auto ns = by_model ? std::optional(row.time) : row.predicted;
            cells.push_back(ns ? ResultTable::Value(ns->value) : ResultTable::Value(std::string()));
        }
        cells.push_back(row.alike);
        if (rough) {
            cells.push_back(std::string(row.rough ? "yes" : ""));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

/// Operator and device.
std::string about(const Tuned& self)
{
    return to_string(self.question.op) + " on " + self.question.device.name;
}

std::string heading_of(const Tuned& self)
{
    return fmt::format("{}: {} of {} configurations of {} judged by the {}", about(self),
                       self.evaluated, self.space.size, self.question.strategy.name,
                       to_string(self.judge));
}

} // namespace

void add_tuning(nb::module_& module, nb::class_<Study>& study)
{
    nb::class_<Tuned> type(module, "Tuned", "What a search found, best first.");
    type.def_prop_ro(
            "best",
            [](const Tuned& self) {
                if (self.rows.empty()) {
                    throw bad_input("no configuration could run", about(self),
                                    "search more of them");
                }
                return self.rows.front().config;
            },
            "The configuration that was fastest.")
        .def_prop_ro("best_ns",
                     [](const Tuned& self) {
                         return self.rows.empty() ? std::nullopt
                                                  : std::optional(self.rows.front().time.value);
                     })
        .def_prop_ro(
            "judge", [](const Tuned& self) { return to_string(self.judge); },
            "Whose times: model, simulator or device.")
        .def_prop_ro("strategy", [](const Tuned& self) { return self.question.strategy.name; })
        .def_prop_ro(
            "space", [](const Tuned& self) { return self.space.size; },
            "Configurations in the space.")
        .def_prop_ro(
            "kept", [](const Tuned& self) { return self.space.kept; },
            "Of them, those that fulfil the conditions.")
        .def_ro("evaluated", &Tuned::evaluated)
        .def("__len__", [](const Tuned& self) { return self.rows.size(); })
        .def("__repr__", [](const Tuned& self) { return "Tuned(" + heading_of(self) + ")"; });
    add_table_members(type, table_of, heading_of);

    study.def(
        "tune",
        [](const Study& self, const std::optional<std::string>& strategy, const std::string& parts,
           const std::vector<std::string>& where, const std::optional<GivenOn>& on,
           std::optional<std::int64_t> budget, std::optional<double> seconds,
           const GivenPath& store, const std::string& variant, std::size_t top,
           const GivenProgress& progress) {
            const DevicePlace place = on ? place_of(*on) : DevicePlace{};
            return tuned(self,
                         {.strategy = strategy_or_default(strategy, !place.on.empty()),
                          .op = self.op(),
                          .device = self.device(),
                          .parts = parts,
                          .where = constraints(where, self.op()),
                          .model = {variant_named(variant), {}, {}},
                          .top = top,
                          .seed = self.seed(),
                          .budget = budget,
                          .seconds = seconds,
                          .on = place.on,
                          .how = place.how,
                          .store = store ? store->string() : std::string()},
                         progress);
        },
        nb::arg("strategy") = nb::none(), nb::arg("parts") = "",
        nb::arg("where") = std::vector<std::string>(), nb::arg("on") = nb::none(),
        nb::arg("budget") = nb::none(), nb::arg("seconds") = nb::none(),
        nb::arg("store") = nb::none(), nb::arg("variant") = "", nb::arg("top") = 10,
        nb::arg("progress").none() = GivenProgress(),
        "Searches configurations of the operator.\n"
        "strategy: as ``tune --strategy`` takes it: shortlist, bayesian, model, descent, random, "
        "...; "
        "None: shortlist, and with on= bayesian.\n"
        "parts: letters of the parts of a schedule that are searched; empty: the strategy's own.\n"
        "where: conditions, as ``--where`` takes them.\n"
        "on: OpenCL device whose runs judge; None: the simulator.\n"
        "budget, seconds: configurations judged, and wall-clock seconds, at most.\n"
        "store: file of results: what is in it is not judged again, what is judged goes into it.\n"
        "top: how many are kept; 0: all.\n"
        "progress: a callable (stage, fraction), None for a bar, False for none.");
    module.def(
        "strategies", [] { return mapped(all_strategies(), &Strategy::name); },
        "Names that Study.tune() takes.");
}

} // namespace texelscope::python
