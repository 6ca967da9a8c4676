#include "workbench/network_studies/network_notes.hpp"

#include "base/number_text.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/kernel_entries.hpp"
#include "workbench/network_studies/kernel_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace texelscope::workbench::network_studies {
// Whatever is known of a plan as text and entries of an ONNX model, where viewers of networks show
// it.
namespace {

using networks::OnnxNote;
using networks::PlannedKernel;

/// Adds a line to the text.
void say(OnnxNote& note, const std::string& line)
{
    note.text += (note.text.empty() ? "" : "\n") + line;
}

void add(OnnxNote& note, const std::string& key, const std::string& value)
{
    note.entries.emplace_back(key, value);
}

/// The times by all judges: "predicted 12.3 us, simulated 14 us".
std::string times_text(const JudgedNetwork& network, std::size_t kernel)
{
    std::string text;
    for (const Judge judge : all_judges) {
        if (const auto time = network.time(judge, kernel)) {
            text +=
                (text.empty() ? "" : ", ") + time_word(judge) + " " + time_text(Nanoseconds{*time});
        }
    }
    return text;
}

/// Adds a kernel to the note of the node that it computes first, or that asks for a conversion.
/// Keys of a node's second kernel get a number: "config (2)".
void add_kernel(OnnxNote& note, const JudgedNetwork& network, std::size_t k,
                const std::vector<KernelEntry>& entries)
{
    const auto before = std::ranges::count_if(
        note.entries, [](const auto& entry) { return entry.first.starts_with("kernel"); });
    const std::string suffix = before == 0 ? "" : fmt::format(" ({})", before + 1);
    const PlannedKernel& planned = network.planned.plan.kernels[k];
    say(note,
        fmt::format("{} {}: {}", planned.conversion ? "Conversion before it, kernel" : "Kernel",
                    kernel_title(network.planned.plan, k), times_text(network, k)));
    add(note, "kernel" + suffix, fmt::format("{}", k));
    for (const KernelEntry& entry : entries) {
        add(note, entry.name + suffix, to_string(entry));
    }
}

OnnxNote model_note(const JudgedNetwork& network)
{
    OnnxNote note;
    const networks::Plan& plan = network.planned.plan;
    add(note, "device", network.profile);
    if (network.measured) {
        add(note, "on", network.measured->device);
    }
    add(note, "kernels", fmt::format("{}", plan.kernels.size()));
    std::string totals;
    for (const Judge judge : all_judges) {
        if (const auto total = network.has(judge) ? network.total(judge) : std::nullopt) {
            add(note, time_word(judge) + "_ns", to_string(KernelEntry{"", *total}));
            totals += fmt::format(", {} {}", time_word(judge), time_text(Nanoseconds{*total}));
        }
    }
    const networks::MemoryPlan memory = memory_plan(plan);
    add(note, "peak_bytes", fmt::format("{}", memory.slot_bytes()));
    add(note, "alive_bytes", fmt::format("{}", memory.alive_bytes));
    add(note, "sum_bytes", fmt::format("{}", memory.sum_bytes));
    add(note, "constant_bytes", fmt::format("{}", memory.constant_bytes));
    for (const auto& [a, b] : judge_pairs) {
        if (const auto tau = network.agreement(a, b)) {
            add(note, "kendall_" + to_string(a) + "_" + to_string(b), fmt::format("{:.4f}", *tau));
        }
    }
    say(note, fmt::format("Planned for {}: {} kernels{}, {} for what they make.", network.profile,
                          plan.kernels.size(), totals, bytes_text(Bytes{memory.slot_bytes()})));
    return note;
}

} // namespace

networks::OnnxNotes network_notes(const JudgedNetwork& network)
{
    const networks::Plan& plan = network.planned.plan;
    networks::OnnxNotes notes{model_note(network),
                              std::vector<OnnxNote>(network.graph.nodes.size())};
    const auto entries = kernel_entries(network);
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const std::vector<std::size_t>& nodes = plan.kernels[k].nodes;
        add_kernel(notes.nodes[nodes.front()], network, k, entries[k]);
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            OnnxNote& note = notes.nodes[nodes[i]];
            const std::string& of = network.graph.nodes[nodes.front()].name;
            say(note, fmt::format("Taken into kernel {} of node {}", kernel_title(plan, k), of));
            add(note, "taken into", fmt::format("kernel {} of {}", k, of));
        }
    }
    return notes;
}

} // namespace texelscope::workbench::network_studies
