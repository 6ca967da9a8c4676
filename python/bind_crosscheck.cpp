#include "base/error.hpp"
#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/report/judged_configurations.hpp"
#include "workbench/store/known_runs.hpp"
#include "workbench/store/result_files.hpp"
#include "workbench/tuning/model_descent.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>

namespace texelscope::python {
namespace {

/// A cross-check and what each judge would take: Crosscheck in Python.
struct Crosschecked {
    JudgedConfigurations judged;
    std::string about;
};

/// Study.crosscheck(). `on`: OpenCL device; none: model and simulator alone. `measured`: a file of
/// runs made before, which goes before `on`. As in the command `crosscheck`, the study's own
/// configuration and the model's best over all parts are among the rows, except for runs made
/// before, to which none can be added.
Crosschecked crosscheck_study(const Study& study, const std::optional<GivenOn>& on,
                              const GivenPath& measured, std::size_t samples,
                              const std::string& variant, const GivenProgress& progress)
{
    constexpr std::size_t most = 1'000'000;
    if (samples < 2 || samples > most) {
        throw bad_input(fmt::format("{} samples", samples), "crosscheck", "give 2 to 1000000");
    }
    LongCall call(progress);
    return call.run([&] {
        const StopToken stop = call.stop();
        const std::optional<KnownRuns> known =
            measured ? std::optional(known_runs(read_results(measured->string()), study.op(),
                                                study.device(), measured->string()))
                     : std::nullopt;
        std::optional<OpenClDevice> device;
        if (on && !known) {
            const DevicePlace place = place_of(*on);
            device.emplace(place.on, place.how);
        }
        CrosscheckOptions options;
        options.samples = samples;
        options.seed = study.seed();
        options.run.stop = stop;
        if (!variant.empty()) {
            options.variant = variant_named(variant).variant;
        }
        const auto calibration = study.calibration(stop);
        Crosschecked found{{}, to_string(study.op()) + " on " + study.device().name};
        if (known) {
            found.judged.crosscheck = crosscheck_known(study.op(), study.device(), *calibration,
                                                       *known, options, call.progress(), stop);
        } else {
            options.first.push_back(study.schedule());
            const auto first = first_over_all_parts(study.op(), study.device(), *calibration,
                                                    options.model_variant().variant,
                                                    options.over_all_parts(), {}, stop);
            options.first.insert(options.first.end(), first.begin(), first.end());
            found.judged.crosscheck =
                crosscheck(study.op(), study.device(), *calibration, device ? &*device : nullptr,
                           options, call.progress(), stop);
        }
        if (!found.judged.crosscheck.interrupted) {
            found.judged.choices = judge_choices(
                study.op(), study.device(), *calibration, found.judged.crosscheck,
                known ? std::nullopt : std::optional(study.schedule()), call.progress(), stop);
        }
        return found;
    });
}

ResultTable table_of(const Crosschecked& self)
{
    return with_units_apart(crosscheck_table(self.judged.crosscheck));
}

std::string heading_of(const Crosschecked& self)
{
    const auto note = unlike_note(self.judged.crosscheck);
    return self.about + ": " + rows_text(self.judged.crosscheck) + (note ? ". " + *note : "");
}

/// By the names of two judges with something in between; nothing where it is undefined.
std::map<std::string, std::optional<double>> by_pair(const Crosschecked& self, const char* between,
                                                     std::optional<double> JudgePair::*number)
{
    std::map<std::string, std::optional<double>> numbers;
    for (const JudgePair& pair : self.judged.crosscheck.pairs) {
        numbers[pair.name(between)] = pair.*number;
    }
    return numbers;
}

nb::list choices_of(const Crosschecked& self)
{
    nb::list choices;
    for (const JudgeChoice& choice : self.judged.choices.by_judge) {
        nb::dict one;
        one["judge"] = to_string(choice.judge);
        one["config"] = to_string(self.judged.crosscheck.rows[choice.row].schedule);
        one["over_best"] =
            choice.over_best ? nb::object(nb::float_(*choice.over_best)) : nb::none();
        one["because"] = facts_text(self.judged.choices.facts.at(choice.row));
        choices.append(one);
    }
    return choices;
}

} // namespace

void add_crosschecks(nb::module_& module, nb::class_<Study>& study)
{
    nb::class_<Crosschecked> checked(
        module, "Crosscheck",
        "Model, simulator and device on the same configurations; times are nanoseconds.");
    checked
        .def_prop_ro(
            "kendall",
            [](const Crosschecked& self) { return by_pair(self, "_", &JudgePair::kendall); },
            "Kendall's tau-b of two judges, -1 to 1; None where one has too few times.")
        .def_prop_ro(
            "regret",
            [](const Crosschecked& self) { return by_pair(self, "_on_", &JudgePair::regret); },
            "Time, by the second, of the first's choice over that of the best, less one.")
        .def_prop_ro(
            "choices", &choices_of, nb::sig("def choices(self) -> list[dict[str, typing.Any]]"),
            "What each judge would take: its configuration, its time over the best, and why.")
        .def_prop_ro(
            "device", [](const Crosschecked& self) { return self.judged.crosscheck.device; },
            "That ran; empty: none.")
        .def_prop_ro(
            "note", [](const Crosschecked& self) { return unlike_note(self.judged.crosscheck); },
            "Why agreement with the device says little, where it does.")
        .def("__len__", [](const Crosschecked& self) { return self.judged.crosscheck.rows.size(); })
        .def("__repr__",
             [](const Crosschecked& self) { return "Crosscheck(" + heading_of(self) + ")"; });
    add_table_members(checked, table_of, heading_of);
    study.def("crosscheck", &crosscheck_study, nb::arg("on") = default_on,
              nb::arg("measured") = nb::none(), nb::arg("samples") = 24, nb::arg("variant") = "",
              nb::arg("progress").none() = GivenProgress(),
              "Asks all judges about the study's configuration and a sample of others.\n"
              "on: OpenCL device, by index or part of its name, or a ``Place``; None: model and "
              "simulator alone.\n"
              "measured: instead of running kernels (on is not asked), a file of runs made before "
              "(``run --json``, "
              "``results export --csv``).\n"
              "samples: configurations; half of them the model's best, half drawn.\n"
              "variant: of the model; empty: the one that agrees best.");
}

} // namespace texelscope::python
