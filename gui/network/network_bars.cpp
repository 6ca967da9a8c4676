#include "gui/network/network_bars.hpp"

#include "base/number_text.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::gui {
namespace {

/// A height that draws nothing.
constexpr double no_bar = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> kernel_numbers(const NetworkResult& network)
{
    std::vector<std::string> numbers;
    for (std::size_t k = 0; k < network.kernels().size(); ++k) {
        numbers.push_back(std::to_string(k));
    }
    return numbers;
}

/// The largest unit of which so many bytes are at least two, and its name. All bars of a plot share
/// it.
std::pair<double, std::string> unit_of(double bytes)
{
    constexpr double kibi = 1024;
    return bytes >= 2 * kibi * kibi ? std::pair(kibi * kibi, "MiB")
           : bytes >= 2 * kibi      ? std::pair(kibi, "KiB")
                                    : std::pair(1.0, "B");
}

std::string called(const NetworkResult& network, std::size_t kernel)
{
    return fmt::format("kernel {}, {}", kernel, network.kernels()[kernel].kernel.op.name);
}

} // namespace

PanelPlot network_times_plot(const NetworkResult& network, NetworkBars bars)
{
    const bool shares = bars == NetworkBars::shares;
    std::vector<PanelPlot::Bars> series;
    for (const Judge judge : all_judges) {
        if (!network.judged.has(judge)) {
            continue;
        }
        const double whole = shares ? network.judged.total(judge).value_or(no_bar) / 100 : 1;
        PanelPlot::Bars of_judge{time_word(judge), 0, {}};
        const auto times = network.judged.times(judge);
        for (std::size_t k = 0; k < times.size(); ++k) {
            const double height = times[k].value_or(no_bar) / whole;
            of_judge.points.push_back(
                {0, height,
                 times[k]
                     ? fmt::format("{}: {} {}{}", called(network, k), time_word(judge),
                                   base::time_text(Nanoseconds{*times[k]}),
                                   shares ? fmt::format(", {:.1f} % of all kernels", height) : "")
                     : std::string()});
        }
        series.push_back(std::move(of_judge));
    }
    PanelPlot plot = grouped_bars(kernel_numbers(network), {std::move(series)});
    plot.title = shares ? "Share of each kernel in the time of all" : "Time of each kernel";
    plot.x_label = "kernel";
    if (shares) {
        plot.left_label = "%";
    } else {
        plot.left_text = [](double ns) { return base::time_text(Nanoseconds{ns}); };
    }
    return plot;
}

PanelPlot network_memory_plot(const NetworkResult& network)
{
    const auto taken = static_cast<double>(network.memory.slot_bytes());
    const auto [unit, name] = unit_of(taken);
    PanelPlot::Bars bars{"needed", 0, {}};
    for (std::size_t k = 0; k < network.kernels().size(); ++k) {
        const std::int64_t bytes = network.memory.alive[k];
        bars.points.push_back({0, static_cast<double>(bytes) / unit,
                               fmt::format("{}: {} needed while it runs", called(network, k),
                                           base::bytes_text(Bytes{bytes}))});
    }
    PanelPlot plot = grouped_bars(kernel_numbers(network), {{std::move(bars)}});
    const std::string about =
        "taken by the plan: " + base::bytes_text(Bytes{network.memory.slot_bytes()});
    plot.panels.front().curves.push_back(
        {.name = "taken by the plan",
         .points = {{plot.x_low, taken / unit, about}, {plot.x_high, taken / unit, about}},
         .dashed = true});
    plot.title = "Memory needed while each kernel runs";
    plot.x_label = "kernel";
    plot.left_label = name;
    return plot;
}

PlotRange kernel_range(std::size_t kernel, std::size_t series)
{
    const auto first = static_cast<double>(kernel * (series + 1)); // as grouped_bars() places them
    return {first - 0.5, first + static_cast<double>(series) - 0.5};
}

} // namespace texelscope::gui
