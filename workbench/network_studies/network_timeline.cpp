#include "workbench/network_studies/network_timeline.hpp"

#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/kernel_entries.hpp"
#include "workbench/network_studies/kernel_words.hpp"
#include "workbench/plots/perfetto_trace.hpp"
#include "workbench/study/stall_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace texelscope::workbench::network_studies {
namespace {

using Track = PerfettoTrace::Track;
using Annotation = PerfettoTrace::Annotation;

/// A kernel on the time axis of a judge, in ns.
struct Span {
    std::size_t kernel = 0;
    std::int64_t from = 0;
    std::int64_t to = 0;
};

/// Kernels one after the other. The ends are rounded, not the times, so errors do not add up.
std::vector<Span> spans_of(const std::vector<std::optional<double>>& times)
{
    std::vector<Span> spans;
    double end = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
        if (times[k]) {
            const std::int64_t from = std::llround(end);
            end += *times[k];
            spans.push_back({k, from, std::llround(end)});
        }
    }
    return spans;
}

/// Entries as annotations, which refer to the entries and so must not outlive them.
std::vector<Annotation> annotations_of(const std::vector<KernelEntry>& entries)
{
    std::vector<Annotation> all;
    for (const KernelEntry& entry : entries) {
        all.push_back({entry.name, {}});
        std::visit([&](const auto& value) { all.back().value = value; }, entry.value);
    }
    return all;
}

class Timeline {
public:
    explicit Timeline(const JudgedNetwork& network)
        : network_(network), memory_(memory_plan(network.planned.plan)),
          root_(trace_.add_track(network.graph.name + " on " + network.profile))
    {
        const auto entries = kernel_entries(network);
        for (const Judge judge : all_judges) {
            if (network.has(judge)) {
                add(judge, entries);
            }
        }
    }

    [[nodiscard]] std::string bytes() && { return std::move(trace_).bytes(); }

private:
    void add(Judge judge, const std::vector<std::vector<KernelEntry>>& entries)
    {
        const std::string on = judge == Judge::device ? " on " + network_.measured->device : "";
        const Track track = trace_.add_track(time_word(judge) + on, root_);
        const std::vector<Span> spans = spans_of(network_.times(judge));
        for (const Span& each : spans) {
            trace_.slice(track, each.from, each.to,
                         kernel_title(network_.planned.plan, each.kernel),
                         annotations_of(entries[each.kernel]));
        }
        counter("memory in use", "bytes", track, spans,
                [&](std::size_t k) { return static_cast<double>(memory_.alive[k]); });
        if (judge == Judge::simulator) {
            add_caches(track, spans);
            add_stalls(track, spans);
        }
    }

    /// A counter with a value for each kernel, and 0 after the last.
    void counter(std::string_view name, std::string_view unit, Track parent,
                 const std::vector<Span>& spans, const std::function<double(std::size_t)>& value)
    {
        const Track track = trace_.add_counter(name, unit, parent);
        for (const Span& each : spans) {
            trace_.count(track, each.from, value(each.kernel));
        }
        if (!spans.empty()) {
            trace_.count(track, spans.back().to, 0);
        }
    }

    /// Hit rates in percent; 0 for a kernel that looks nothing up.
    void add_caches(Track parent, const std::vector<Span>& spans)
    {
        for (const auto& [name, cache] : {std::pair("L1 hits", &SimulatedKernel::l1),
                                          std::pair("L2 hits", &SimulatedKernel::l2)}) {
            const auto looks_up = [&, member = cache](const Span& each) {
                return (network_.simulated[each.kernel].*member).lookups > 0;
            };
            if (std::ranges::any_of(spans, looks_up)) {
                counter(name, "%", parent, spans, [&, member = cache](std::size_t k) {
                    const CacheStatistics& counts = network_.simulated[k].*member;
                    return counts.lookups == 0 ? 0.0 : 100 * (1 - counts.miss_rate());
                });
            }
        }
    }

    void add_stalls(Track parent, const std::vector<Span>& spans)
    {
        std::size_t cores = 0;
        for (const Span& each : spans) {
            cores = std::max(cores, network_.simulated[each.kernel].stalls.size());
        }
        if (cores == 0) {
            return;
        }
        const Track all = trace_.add_track("all cores", parent);
        add_parts(all, spans, [&](std::size_t k) {
            StallStatistics sum;
            for (const StallStatistics& core : network_.simulated[k].stalls) {
                sum += core;
            }
            return sum;
        });
        for (std::size_t core = 0; core < cores; ++core) {
            const Track track = trace_.add_track(fmt::format("core {}", core), parent);
            add_parts(track, spans, [&](std::size_t k) {
                const auto& stalls = network_.simulated[k].stalls;
                return core < stalls.size() ? stalls[core] : StallStatistics{};
            });
        }
    }

    /// Slices that are named by the largest part of the cycles, and a counter for each part that
    /// occurs.
    void add_parts(Track track, const std::vector<Span>& spans,
                   const std::function<StallStatistics(std::size_t)>& of)
    {
        StallStatistics sum;
        for (const Span& each : spans) {
            const StallStatistics stalls = of(each.kernel);
            sum += stalls;
            if (stalls.total() == 0) {
                continue;
            }
            std::vector<Annotation> shares{{"kernel", static_cast<std::int64_t>(each.kernel)}};
            for (const StallReason& reason : stall_reasons) {
                shares.push_back({reason.name, reason.share(stalls)});
            }
            const auto share = [&](const StallReason& reason) { return stalls.*reason.cycles; };
            trace_.slice(track, each.from, each.to,
                         std::ranges::max_element(stall_reasons, {}, share)->name, shares);
        }
        for (const StallReason& reason : stall_reasons) {
            if (sum.*reason.cycles > 0) {
                counter(reason.name, "%", track, spans,
                        [&](std::size_t k) { return 100 * reason.share(of(k)); });
            }
        }
    }

    const JudgedNetwork& network_;
    networks::MemoryPlan memory_;
    PerfettoTrace trace_;
    Track root_;
};

} // namespace

std::string network_timeline(const JudgedNetwork& network)
{
    return Timeline(network).bytes();
}

} // namespace texelscope::workbench::network_studies
