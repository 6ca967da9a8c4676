#include "workbench/network_studies/kernel_bars.hpp"

#include "base/number_text.hpp"
#include "workbench/network_studies/kernel_words.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/plots/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace texelscope::workbench::network_studies {
// A kernel's row has its title on the left, a bar for each judge in the middle, and the times on
// the right.
namespace {

using Anchor = DrawnText::Anchor;

// Sizes in units of the drawing.
constexpr double whole_width = 1060;
constexpr double names_width = 250;
constexpr double bars_width = 590;
constexpr double gap = 8; ///< between bars and texts, and below a kernel's bars
constexpr double bar_height = 6;
/// Height of a kernel's row, the same for one judge as for three, so that a name always has room.
constexpr double row_height = 3 * bar_height + gap / 2;
constexpr double legend_height = 24;
constexpr double axis_height = 20;
constexpr double text_size = 11;
constexpr Rgb grid_colour{0xe4, 0xe4, 0xe4};

/// The text, cut where there is no room for all of it.
std::string cut(std::string words, double room)
{
    if (text_width(words, text_size) > room) {
        while (!words.empty() && text_width(words + "...", text_size) > room) {
            words.pop_back(); // names of operators and shapes are ASCII
        }
        words += "...";
    }
    return words;
}

/// The hover text of a bar: what the kernel computes, how, and where its tensors lie.
std::string about(const KernelWords& words, const std::string& times)
{
    std::string text =
        fmt::format("kernel {}: {} {}{}\n{}\n{}", words.number, words.computes, words.shape,
                    words.conversion ? ", a conversion" : "", words.configuration, times);
    for (const TensorWords& input : words.inputs) {
        text += fmt::format("\nreads {}: {}, {}", input.name, input.layout, input.texels);
    }
    return text + fmt::format("\nwrites {}: {}, {}", words.output.name, words.output.layout,
                              words.output.texels);
}

class Bars {
public:
    Bars(const JudgedNetwork& network, const std::vector<std::size_t>& kernels)
        : network_(network), shares_(bars_are_shares(network)), judges_(network.judges())
    {
        double longest = 0;
        for (const Judge judge : judges_) {
            times_[judge] = network.times(judge);
            for (const std::size_t k : kernels) {
                longest = std::max(longest, value(judge, k).value_or(0));
            }
        }
        axis_ = linear_axis(0, longest);
        drawing_.width = whole_width;
        const double top = legend_height + axis_height;
        const double bottom = top + row_height * static_cast<double>(kernels.size());
        drawing_.height = bottom + axis_height;
        legend();
        scale(top, bottom);
        double y = top;
        for (const std::size_t k : kernels) {
            row(k, y);
            y += row_height;
        }
    }

    [[nodiscard]] Drawing drawing() && { return std::move(drawing_); }

private:
    /// What a bar shows: a time in ns, or the share of the judge's total (bars_are_shares()).
    [[nodiscard]] std::optional<double> value(Judge judge, std::size_t k) const
    {
        const std::optional<double> time = times_.at(judge)[k];
        return time && shares_ ? *time / sum_of(judge) : time;
    }
    /// The total over the kernels that have a time, so that shares add up to 1.
    [[nodiscard]] double sum_of(Judge judge) const
    {
        double sum = 0;
        for (const std::optional<double>& time : times_.at(judge)) {
            sum += time.value_or(0);
        }
        return sum;
    }
    [[nodiscard]] std::string value_text(double value) const
    {
        return shares_ ? percent_text(value) : time_text(Nanoseconds{value});
    }

    void text(DrawnPoint at, std::string words, Anchor anchor)
    {
        drawing_.shapes.emplace_back(DrawnText{at, std::move(words), anchor, text_size});
    }

    void legend()
    {
        double x = names_width;
        for (const Judge judge : judges_) {
            const auto total = network_.total(judge);
            const std::string words =
                time_word(judge) +
                (total ? fmt::format(", {} in all", time_text(Nanoseconds{*total})) : "");
            drawing_.shapes.emplace_back(
                DrawnBox{{x, 2}, 12, 12, plot_colour(colour_of(judge)), {}});
            text({x + 18, 12}, words, Anchor::start);
            x += text_width(words, text_size) + 48;
        }
    }

    void scale(double top, double bottom)
    {
        for (const double tick : axis_.ticks(8)) {
            const double x = names_width + bars_width * axis_.place(tick);
            drawing_.shapes.emplace_back(DrawnLine{{{x, top}, {x, bottom}}, grid_colour});
            text({x, top - 6}, value_text(tick), Anchor::middle);
            text({x, bottom + 14}, value_text(tick), Anchor::middle);
        }
    }

    void row(std::size_t k, double top)
    {
        const double middle = top + row_height / 2;
        text({names_width - gap, middle + 4},
             cut(kernel_title(network_.planned.plan, k), names_width - 2 * gap), Anchor::end);
        std::string times;
        for (const Judge judge : judges_) {
            const auto time = times_.at(judge)[k];
            times += (times.empty() ? "" : ", ") +
                     (time ? time_text(Nanoseconds{*time}) : std::string(dash));
        }
        const std::string tip = about(kernel_words(network_.planned.plan, k), times);
        double y = middle - bar_height * static_cast<double>(judges_.size()) / 2;
        for (const Judge judge : judges_) {
            if (const auto length = value(judge, k)) {
                // A bar of a very short time is still visible.
                drawing_.shapes.emplace_back(
                    DrawnBox{{names_width, y},
                             std::max(0.5, bars_width * axis_.place(*length)),
                             bar_height - 1,
                             plot_colour(colour_of(judge)),
                             tip});
            }
            y += bar_height;
        }
        text({names_width + bars_width + gap, middle + 4}, times, Anchor::start);
    }

    const JudgedNetwork& network_;
    bool shares_;
    std::vector<Judge> judges_;
    std::map<Judge, std::vector<std::optional<double>>> times_;
    PlotAxis axis_;
    Drawing drawing_;
};

} // namespace

int colour_of(Judge judge)
{
    return judge == Judge::model ? 1 : judge == Judge::simulator ? 2 : 3;
}

bool bars_are_shares(const JudgedNetwork& network)
{
    double least = 0;
    double most = 0;
    for (const Judge judge : network.judges()) {
        if (const auto total = network.total(judge)) {
            least = least > 0 ? std::min(least, *total) : *total;
            most = std::max(most, *total);
        }
    }
    return most > 10 * least;
}

Drawing kernel_bars(const JudgedNetwork& network, const std::vector<std::size_t>& kernels)
{
    return Bars(network, kernels).drawing();
}

} // namespace texelscope::workbench::network_studies
