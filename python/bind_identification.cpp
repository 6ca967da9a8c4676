#include "base/error.hpp"
#include "base/parallel.hpp"
#include "python/arrays.hpp"
#include "python/bind_device.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/probes/identification_tables.hpp"
#include "workbench/probes/identified.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace texelscope::python {
namespace {

IdentifyOptions search_options(int folds, std::uint64_t seed)
{
    IdentifyOptions options;
    options.folds = folds;
    options.seed = seed;
    // The result does not depend on the number of threads.
    options.threads = processor_threads();
    return options;
}

/// identify() in Python: the cache that explains measured walks of two CSV files, walks and their
/// latencies. Without the second, the file beside the walks.
Identified identify_walks(const std::filesystem::path& walks_file,
                          const std::optional<std::filesystem::path>& latencies_file,
                          const std::string& image, int folds, std::uint64_t seed,
                          const GivenProgress& progress)
{
    const std::string walks = walks_file.string();
    const std::string latencies = latencies_file ? latencies_file->string() : std::string();
    LongCall call(progress);
    return call.run([&] {
        WalkFiles files{walks, latencies.empty() ? latencies_beside(walks) : latencies};
        if (files.latencies.empty()) {
            throw bad_input("there is no file of latencies beside the walks", walks,
                            "name it with latencies=");
        }
        if (!image.empty()) {
            files.image = parse_walks_image(image, "image");
        }
        return identify_files(files, search_options(folds, seed), call.progress(), call.stop());
    });
}

/// identify_device() in Python: walks on a simulated device, whose cache is known. So it shows how
/// much such walks can tell.
Identified identify_device(const GivenDevice& device, double noise, std::int64_t walks, int folds,
                           std::uint64_t seed, const GivenProgress& progress)
{
    LongCall call(progress);
    const DeviceProfile profile = profile_of(device);
    return call.run([&] {
        SimulatedIdentification how;
        how.asked.walks = walks;
        how.noise = noise;
        return identify_profile(profile, how, search_options(folds, seed), call.progress(),
                                call.stop());
    });
}

const Identification& answer(const Identified& self)
{
    return self.rounds.identification;
}

} // namespace

void add_identification(nb::module_& module)
{
    nb::class_<Identified> identified(
        module, "Identified", "The storage layout and texture cache that explain measured walks.");
    identified
        .def_prop_ro(
            "cache",
            [](const Identified& self) { return to_text(answer(self).explanations.front().cache); },
            "The best explanation: layout; cache.")
        .def_prop_ro("layout",
                     [](const Identified& self) {
                         return to_string(answer(self).explanations.front().cache.layout);
                     })
        .def_prop_ro(
            "capacity",
            [](const Identified& self) {
                return answer(self).explanations.front().cache.l1.capacity.value;
            },
            "Bytes.")
        .def_prop_ro(
            "line",
            [](const Identified& self) {
                return answer(self).explanations.front().cache.l1.line.value;
            },
            "Bytes.")
        .def_prop_ro(
            "error",
            [](const Identified& self) { return answer(self).explanations.front().fit.mape; },
            "Mean relative error of the walks' latencies.")
        .def_prop_ro(
            "held_out_error", [](const Identified& self) { return answer(self).held_out.mape; },
            "The same of walks that had no part in the choice.")
        .def_prop_ro(
            "explained", [](const Identified& self) { return explains_walks(answer(self)); },
            "Whether a cache explains the walks: held out, it errs at most half as much as one "
            "latency for all.")
        .def_prop_ro(
            "found",
            [](const Identified& self) {
                return self.simulated ? std::optional(self.simulated->found) : std::nullopt;
            },
            "Of a simulated device: whether it is the true cache.")
        .def_prop_ro(
            "support", [](const Identified& self) { return rows_of(support_table(answer(self))); },
            nb::sig("def support(self) -> list[dict[str, typing.Any]]"),
            "Of each property, how much speaks for its values.")
        .def_prop_ro("summary",
                     [](const Identified& self) {
                         return identification_summary(self.rounds.measured, answer(self));
                     })
        .def_prop_ro(
            "measured_ns",
            [](nb::handle_t<Identified> self) {
                return view(nb::cast<const Identified&>(self).rounds.measured.ns_per_read, self);
            },
            nb::sig("def measured_ns(self) -> numpy.typing.NDArray[numpy.float64]"),
            "ns per read, by walk.")
        .def_prop_ro(
            "predicted_ns",
            [](nb::handle_t<Identified> self) {
                return view(
                    answer(nb::cast<const Identified&>(self)).explanations.front().predicted, self);
            },
            nb::sig("def predicted_ns(self) -> numpy.typing.NDArray[numpy.float64]"),
            "The same by the best explanation.")
        .def("__repr__", [](const Identified& self) {
            return "Identified(" + to_text(answer(self).explanations.front().cache) + ")";
        });
    add_table_members(
        identified, [](const Identified& self) { return explanations_table(answer(self)); },
        [](const Identified& self) { return self.origin; });
    module.def("identify", &identify_walks, nb::arg("walks"), nb::arg("latencies") = nb::none(),
               nb::arg("image") = "", nb::arg("folds") = 5, nb::arg("seed") = 1,
               nb::arg("progress").none() = GivenProgress(),
               "Recovers storage layout and texture cache from measured walks.\n"
               "walks, latencies: files as ``identify --walks --latencies`` takes them; latencies "
               "None: the file "
               "beside the walks.\n"
               "image: 'WIDTHxHEIGHTxBYTES' that they go through; empty: guessed.\n"
               "folds: of the cross-validation.");
    module.def("identify_device", &identify_device, nb::arg("device") = "adreno-740",
               nb::arg("noise") = 0.0, nb::arg("walks") = 60, nb::arg("folds") = 5,
               nb::arg("seed") = 1, nb::arg("progress").none() = GivenProgress(),
               "The same of a simulated device, which is walked first. noise: standard deviation "
               "of a latency, "
               "relative to it.");
}

} // namespace texelscope::python
