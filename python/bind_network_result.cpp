#include "python/bind_network_result.hpp"

#include "base/atomic_file.hpp"
#include "networks/plan/memory_plan.hpp"
#include "python/arrays.hpp"
#include "python/tables.hpp"
#include "workbench/network_studies/kernel_words.hpp"
#include "workbench/network_studies/network_report.hpp"
#include "workbench/network_studies/network_timeline.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>

#include <filesystem>
#include <map>
#include <optional>

namespace texelscope::python {
namespace {

using networks::Graph;
using networks::TensorNumbers;
using networks::ValueId;

/// A row for each kernel, with columns for the judges that were asked.
ResultTable kernels_of(const Judged& self)
{
    const JudgedNetwork& network = self.network;
    ResultTable table{{"kernel", "computes", "output", "configuration"}, {}};
    for (const Judge judge : network.judges()) {
        table.columns.push_back(time_word(judge) + " ns");
    }
    if (!network.simulated.empty()) {
        table.columns.insert(table.columns.end(), {"L1 misses", "L2 misses"});
    }
    const bool checked = network.measured && !network.measured->checked.empty();
    if (checked) {
        table.columns.emplace_back("error");
    }
    const networks::Plan& plan = network.planned.plan;
    const ResultTable::Value nothing = std::string();
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const KernelWords words = kernel_words(plan, k);
        std::vector<ResultTable::Value> row{static_cast<std::int64_t>(k), words.computes,
                                            words.shape, words.configuration};
        for (const Judge judge : network.judges()) {
            const auto time = network.time(judge, k);
            row.push_back(time ? ResultTable::Value(*time) : nothing);
        }
        if (!network.simulated.empty()) {
            row.emplace_back(network.simulated[k].l1.misses());
            row.emplace_back(network.simulated[k].l2.misses());
        }
        if (checked) {
            const TensorCheck* const check =
                network.measured->check_of(plan.kernels[k].kernel.output);
            row.push_back(check != nullptr ? ResultTable::Value(check->error) : nothing);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::map<std::string, double> totals_of(const Judged& self)
{
    std::map<std::string, double> totals;
    for (const Judge judge : self.network.judges()) {
        if (const auto total = self.network.total(judge)) {
            totals[to_string(judge)] = *total;
        }
    }
    if (self.network.measured) {
        totals["whole"] = self.network.measured->whole_ns;
    }
    return totals;
}

std::string heading_of(const Judged& self)
{
    std::string text = fmt::format("{} on {}: {} kernels", self.network.graph.name,
                                   self.network.profile, self.network.planned.plan.kernels.size());
    for (const Judge judge : self.network.judges()) {
        if (const auto total = self.network.total(judge)) {
            text += fmt::format(", {} {:.4g} us", time_word(judge), *total / 1000);
        }
    }
    return text;
}

/// Numbers by name as arrays that lie where `owner`, the result, holds them; values without numbers
/// are left out.
nb::dict arrays_of(nb::handle owner, const Graph& graph, const TensorNumbers& numbers,
                   const std::vector<ValueId>& which)
{
    nb::dict arrays;
    for (const ValueId id : which) {
        if (const auto found = numbers.find(id); found != numbers.end()) {
            const networks::Shape& shape = graph.value(id).shape;
            const std::vector<std::size_t> extents(shape.begin(), shape.end());
            arrays[graph.value(id).name.c_str()] =
                ReadArray<float>(found->second.data(), extents.size(), extents.data(), owner);
        }
    }
    return arrays;
}

nb::dict outputs_of(nb::handle_t<Judged> self)
{
    const auto& judged = nb::cast<const Judged&>(self);
    return judged.network.measured ? arrays_of(self, judged.network.graph,
                                               judged.network.measured->found, judged.outputs)
                                   : nb::dict();
}

nb::dict weights_of(nb::handle_t<Judged> self)
{
    const auto& judged = nb::cast<const Judged&>(self);
    if (!judged.network.training) {
        return {};
    }
    return arrays_of(self, judged.network.graph, judged.network.trained.carried,
                     judged.network.training->weights);
}

std::map<std::string, std::int64_t> memory_of_plan(const Judged& self)
{
    const networks::MemoryPlan memory = memory_plan(self.network.planned.plan);
    return {{"peak_bytes", memory.slot_bytes()},
            {"alive_bytes", memory.alive_bytes},
            {"sum_bytes", memory.sum_bytes},
            {"constant_bytes", memory.constant_bytes}};
}

} // namespace

void add_network_results(nb::module_& module)
{
    nb::class_<Judged> judged(
        module, "NetworkResult",
        "A planned network, and what its judges said of every kernel; times are nanoseconds.");
    judged
        .def_prop_ro("total_ns", &totals_of,
                     "Of all kernels by each judge (model, simulator, device), and 'whole' as a "
                     "device had it from the "
                     "first's start to the last's end.")
        .def_prop_ro("memory", &memory_of_plan,
                     "Bytes of what kernels make: as planned (peak), needed at once at least "
                     "(alive), and without "
                     "sharing (sum); and of weights and inputs.")
        .def_prop_ro("outputs", &outputs_of,
                     nb::sig("def outputs(self) -> dict[str, numpy.typing.NDArray[numpy.float32]]"),
                     "Of a run, by name, without copies.")
        .def_prop_ro("weights", &weights_of,
                     nb::sig("def weights(self) -> dict[str, numpy.typing.NDArray[numpy.float32]]"),
                     "Of training, by name, as it left them, without copies.")
        .def_prop_ro(
            "losses",
            [](nb::handle_t<Judged> self) {
                return view(nb::cast<const Judged&>(self).network.trained.losses, self);
            },
            nb::sig("def losses(self) -> numpy.typing.NDArray[numpy.float64]"),
            "Of each step of training.")
        .def_prop_ro(
            "passed",
            [](const Judged& self) -> std::optional<bool> {
                if (!self.network.measured || self.network.measured->checked.empty()) {
                    return std::nullopt;
                }
                return self.network.measured->failed() == 0;
            },
            "Whether every tensor agrees with the reference; None where nothing was checked "
            "(run(check=True)).")
        .def_prop_ro(
            "device", [](const Judged& self) { return self.network.profile; },
            "The profile that it is planned for.")
        .def_prop_ro(
            "on",
            [](const Judged& self) {
                return self.network.measured ? self.network.measured->device : std::string();
            },
            "The OpenCL device that ran it; empty: none.")
        .def(
            "kernel_text",
            [](const Judged& self, std::size_t kernel) {
                const auto& kernels = self.network.planned.plan.kernels;
                if (kernel >= kernels.size()) {
                    throw nb::index_error(
                        fmt::format("there are {} kernels", kernels.size()).c_str());
                }
                return opencl_text(kernels[kernel].nest, codegen::TexelBackend::native);
            },
            nb::arg("kernel"), "The OpenCL C of a kernel, by its number.")
        .def(
            "save_report",
            [](const Judged& self, const std::filesystem::path& path) {
                write_file_atomically(path.string(), network_report(self.network));
            },
            nb::arg("path"), "Writes a self-contained HTML report.")
        .def(
            "save_timeline",
            [](const Judged& self, const std::filesystem::path& path) {
                write_file_atomically(path.string(), network_timeline(self.network));
            },
            nb::arg("path"), "Writes its kernels in time, F.pftrace for Perfetto.")
        .def("__len__", [](const Judged& self) { return self.network.planned.plan.kernels.size(); })
        .def("__repr__",
             [](const Judged& self) { return "NetworkResult(" + heading_of(self) + ")"; });
    add_table_members(judged, kernels_of, [](const Judged& self) { return heading_of(self); });
}

} // namespace texelscope::python
