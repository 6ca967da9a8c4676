#include "base/error.hpp"
#include "base/lists.hpp"
#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/space/where.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/ranked_rows.hpp"
#include "workbench/tuning/searched_space.hpp"
#include "workbench/tuning/strategy.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace texelscope::python {
namespace {

/// What a search found, best first.
struct Tuned {
    std::vector<RankedRow> rows;
    std::string about; ///< operator and device
    std::string strategy;
    std::string judge; ///< model, simulator or device
    std::int64_t space = 0, kept = 0, evaluated = 0;
};

/// The arguments of Study.tune(), as the options of the command `tune`.
struct TuneQuestion {
    std::string strategy, parts;
    std::vector<std::string> where;
    std::optional<std::string> on;
    std::optional<std::int64_t> budget;
    std::optional<double> seconds;
    std::optional<std::string> store;
    std::string variant;
    std::size_t top = 10;
    std::int64_t sample = 20'000;
};

/// Ranks the space by the model alone, as `tune --strategy model` does.
void rank(Tuned& tuned, const Study& study, const Strategy& strategy,
          const ConfigurationSpace& space, const ModelOrder& order, std::size_t top,
          const Progress& progress, const StopToken& stop)
{
    const ModelCosts costs(study.op(), study.device(), space, order.calibration, order.variant,
                           stop);
    const Ranking ranking = strategy.rank(
        costs, top, [&](double fraction) { tell(progress, "ranking", fraction, 1); },
        by_variant(study.op(), study.device(), space, order.calibration,
                   next_variant(order.variant), stop));
    tuned.judge = "model";
    tuned.evaluated = ranking.evaluated;
    tuned.rows = ranked_rows(ranking);
}

/// Searches by a judge: the OpenCL device where one is named, else the simulator.
void search(Tuned& tuned, const Study& study, const Strategy& strategy,
            const ConfigurationSpace& space, const ModelOrder& order, const TuneQuestion& question,
            const Progress& progress, const StopToken& stop)
{
    if (strategy.judge == Judge::device && !question.on) {
        throw bad_input("no device is named", "strategy " + strategy.name,
                        "give on=, e.g. on='pocl'");
    }
    std::optional<ResultStore> store;
    if (question.store) {
        store.emplace(*question.store);
    }
    std::optional<OpenClDevice> device;
    if (question.on) {
        device.emplace(*question.on);
    }
    RunOptions run;
    run.stop = stop;
    const OperatorTimer timer =
        device ? device_timer(study.op(), *device, run, study.seed(), TEXELSCOPE_VERSION)
               : simulator_timer(study.device(), question.sample, TEXELSCOPE_VERSION, stop);
    const TimeOf time_of = times_in(timer, study.op(), space, store ? &*store : nullptr);
    const SearchBudget budget{question.budget.value_or(strategy.runs.value_or(space.size())),
                              question.seconds};
    const StrategyResult result =
        run_strategy(strategy, {study.op(), study.device(), space, time_of, budget, study.seed(),
                                progress, stop, order});
    tuned.judge = timer.key.judge;
    tuned.evaluated = std::ssize(result.search.trials);
    tuned.rows = ranked_rows(result, space, question.top);
}

/// Throws bad_input for numbers out of range, and for arguments that the strategy would not look
/// at: one without effect would look as if it had one.
void check(const TuneQuestion& question, const Strategy& strategy)
{
    if ((question.budget && *question.budget < 1) ||
        (question.seconds && !(*question.seconds > 0))) {
        throw bad_input("budget below 1, or seconds not above 0", "tune",
                        "give larger numbers, or None");
    }
    if (strategy.judge == Judge::model &&
        (question.budget || question.seconds || question.on || question.store)) {
        throw bad_input("budget, seconds, on and store do not apply to strategy " + strategy.name,
                        "tune",
                        "leave them out, or use a strategy that searches, such as shortlist");
    }
    if (strategy.judge != Judge::model && !strategy.by_model && !question.variant.empty()) {
        throw bad_input("variant does not apply to strategy " + strategy.name, "tune",
                        "leave it out, or use a strategy that asks the model, such as shortlist");
    }
}

Tuned tune(const Study& study, const TuneQuestion& question, const GivenProgress& progress)
{
    LongCall call(progress);
    return call.run([&] {
        const StopToken stop = call.stop();
        const Strategy& strategy = parse_strategy(question.strategy);
        check(question, strategy);
        const SearchedSpace searched =
            searched_space(strategy, study.op(), study.device(), question.parts,
                           constraints(question.where, study.op()));
        Tuned tuned{{},
                    to_string(study.op()) + " on " + study.device().name,
                    strategy.name,
                    {},
                    searched.counts.size,
                    searched.counts.kept};
        ModelOrder order;
        if (strategy.by_model || strategy.judge == Judge::model) {
            order = {variant_named(question.variant).variant, *study.calibration(stop)};
        }
        if (strategy.judge == Judge::model) {
            rank(tuned, study, strategy, searched.space, order, question.top, call.progress(),
                 stop);
        } else {
            search(tuned, study, strategy, searched.space, order, question, call.progress(), stop);
        }
        return tuned;
    });
}

ResultTable table_of(const Tuned& self)
{
    // The model's own times are in the column of the judge already.
    const bool by_model = self.judge == "model";
    const bool predicted = std::ranges::any_of(
        self.rows, [&](const RankedRow& row) { return by_model || row.predicted.has_value(); });
    ResultTable table{{"configuration", "ns"}, {}};
    if (predicted) {
        table.columns.push_back("predicted ns");
    }
    table.columns.push_back("alike");
    for (const RankedRow& row : self.rows) {
        std::vector<ResultTable::Value> cells{row.config, row.time.value};
        if (predicted) {
            const auto ns = by_model ? std::optional(row.time) : row.predicted;
            cells.push_back(ns ? ResultTable::Value(ns->value) : ResultTable::Value(std::string()));
        }
        cells.push_back(row.alike);
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::string heading_of(const Tuned& self)
{
    return fmt::format("{}: {} of {} configurations of {} judged by the {}", self.about,
                       self.evaluated, self.space, self.strategy, self.judge);
}

} // namespace

void add_tuning(nb::module_& module, nb::class_<Study>& study)
{
    nb::class_<Tuned> tuned(module, "Tuned", "What a search found, best first.");
    tuned
        .def_prop_ro(
            "best",
            [](const Tuned& self) {
                if (self.rows.empty()) {
                    throw bad_input("no configuration could run", self.about,
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
        .def_ro("judge", &Tuned::judge, "Whose times: model, simulator or device.")
        .def_ro("strategy", &Tuned::strategy)
        .def_ro("space", &Tuned::space, "Configurations in the space.")
        .def_ro("kept", &Tuned::kept, "Of them, those that fulfil the conditions.")
        .def_ro("evaluated", &Tuned::evaluated)
        .def("__len__", [](const Tuned& self) { return self.rows.size(); })
        .def("__repr__", [](const Tuned& self) { return "Tuned(" + heading_of(self) + ")"; });
    add_table_members(tuned, table_of, heading_of);

    study.def(
        "tune",
        [](const Study& self, const std::string& strategy, const std::string& parts,
           const std::vector<std::string>& where, const std::optional<GivenOn>& on,
           std::optional<std::int64_t> budget, std::optional<double> seconds,
           const GivenPath& store, const std::string& variant, std::size_t top,
           const GivenProgress& progress) {
            return tune(self,
                        {strategy, parts, where, on ? std::optional(on_text(*on)) : std::nullopt,
                         budget, seconds, store ? std::optional(store->string()) : std::nullopt,
                         variant, top},
                        progress);
        },
        nb::arg("strategy") = "shortlist", nb::arg("parts") = "",
        nb::arg("where") = std::vector<std::string>(), nb::arg("on") = nb::none(),
        nb::arg("budget") = nb::none(), nb::arg("seconds") = nb::none(),
        nb::arg("store") = nb::none(), nb::arg("variant") = "", nb::arg("top") = 10,
        nb::arg("progress").none() = GivenProgress(),
        "Searches configurations of the operator.\n"
        "strategy: as ``tune --strategy`` takes it: shortlist, model, descent, random, exhaustive, "
        "...\n"
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
