#include "workbench/network_studies/kernel_entries.hpp"

#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/kernel_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>
#include <utility>

namespace texelscope::workbench::network_studies {
// The facts about a kernel, in the order in which readers look for them: what it is, its times,
// memory, simulation, check.
namespace {

using Entries = std::vector<KernelEntry>;

std::string tensor_text(const TensorWords& tensor)
{
    return fmt::format("{}{}: {}, {}", tensor.name, tensor.value ? "" : " (constant)",
                       tensor.layout, tensor.texels);
}

void add_plan(Entries& to, const KernelWords& words)
{
    to.push_back({"computes", words.computes});
    if (words.conversion) {
        to.push_back({"conversion", "asked for by " + words.nodes.front()});
    } else {
        to.push_back({"nodes", fmt::format("{}", fmt::join(words.nodes, ", "))});
    }
    to.push_back({"shape", words.shape});
    to.push_back({"config", words.configuration});
    for (std::size_t i = 0; i < words.inputs.size(); ++i) {
        to.push_back({fmt::format("input {}", i), tensor_text(words.inputs[i])});
    }
    to.push_back({"output", tensor_text(words.output)});
}

void add_simulation(Entries& to, const SimulatedKernel& kernel)
{
    if (kernel.time) {
        to.push_back({"simulated_share", kernel.simulated_share});
    } else {
        to.push_back({"why_not", kernel.why_not});
    }
    for (const auto& [name, cache] : {std::pair("l1", &kernel.l1), std::pair("l2", &kernel.l2)}) {
        if (cache->lookups > 0) {
            to.push_back({std::string(name) + "_lookups", cache->lookups});
            to.push_back({std::string(name) + "_hits", cache->hits});
        }
    }
}

} // namespace

std::vector<std::vector<KernelEntry>> kernel_entries(const JudgedNetwork& network)
{
    const networks::Plan& plan = network.planned.plan;
    const networks::MemoryPlan memory = memory_plan(plan);
    std::vector<Entries> all(plan.kernels.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        add_plan(all[k], kernel_words(plan, k));
    }
    for (const Judge judge : all_judges) {
        const auto times = network.times(judge);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (times[k]) {
                all[k].push_back({time_word(judge) + "_ns", *times[k]});
            }
        }
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
        all[k].push_back({"alive_bytes", memory.alive[k]});
        if (network.training) {
            all[k].push_back({"pass", to_string(network.pass(k))});
            all[k].push_back({"layer", network.layer(k).name});
        }
        if (network.has(Judge::simulator)) {
            add_simulation(all[k], network.simulated[k]);
        }
        const TensorCheck* const check =
            network.measured ? network.measured->check_of(plan.kernels[k].kernel.output) : nullptr;
        if (check != nullptr) {
            all[k].push_back({"checked", check->passed ? "agrees with the reference"
                                                       : "differs from the reference"});
            all[k].push_back({"error", check->error});
        }
    }
    return all;
}

std::string to_string(const KernelEntry& entry)
{
    return std::visit(
        [](const auto& value) -> std::string {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::string>) {
                return value;
            } else if constexpr (std::is_same_v<Value, double>) {
                return std::abs(value) >= 1000 ? fmt::format("{:.1f}", value)
                                               : fmt::format("{:.5g}", value);
            } else {
                return fmt::format("{}", value);
            }
        },
        entry.value);
}

} // namespace texelscope::workbench::network_studies
