#include "workbench/network_studies/network_report.hpp"

#include "base/number_text.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/kernel_bars.hpp"
#include "workbench/network_studies/kernel_words.hpp"
#include "workbench/network_studies/network_plots.hpp"
#include "workbench/network_studies/training_layers.hpp"
#include "workbench/plots/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace texelscope::workbench::network_studies {
// Each function below writes one section of the page.
namespace {

using networks::MemoryPlan;
using networks::Plan;

constexpr std::size_t few_kernels = 60;  ///< up to so many are all shown at once
constexpr std::size_t slow_kernels = 40; ///< of more, so many are shown first: those that take most

std::string figure_html(const PanelPlot& plot, const std::string& title, const std::string& caption)
{
    return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                       svg_element(draw(plot), title), caption);
}

std::string card(const std::string& name, const std::string& value, const std::string& note)
{
    return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n", escape_html(name),
                       escape_html(value), escape_html(note));
}

/// How many of the checked tensors agree with the reference: "12 of 12".
std::string checks_text(const NetworkMeasurement& measured)
{
    const std::int64_t all = std::ssize(measured.checked);
    return fmt::format("{} of {}", all - measured.failed(), all);
}

std::string head(const JudgedNetwork& network)
{
    const Plan& plan = network.planned.plan;
    std::string out = fmt::format(
        "<header><h1>{} on {}</h1>\n<p class=\"facts\">{} nodes in {} kernels, planned by the "
        "model{}</p></header>\n",
        escape_html(network.graph.name), escape_html(network.profile), network.graph.nodes.size(),
        plan.kernels.size(),
        network.measured ? "; run on " + escape_html(network.measured->device) : "");
    out += "<nav>" + std::string(network.training ? "<a href=\"#training\">Training</a> " : "") +
           "<a href=\"#time\">Where the time goes</a> <a href=\"#agreement\">Agreement</a> "
           "<a href=\"#memory\">Memory</a> <a href=\"#caches\">Caches</a> <a "
           "href=\"#kernels\">Kernels</a></nav>\n";
    out += "<dl class=\"figures\">\n";
    const auto total = [&](Judge judge) {
        const auto sum = network.total(judge);
        return time_text(sum ? std::optional(Nanoseconds{*sum}) : std::nullopt);
    };
    for (const Judge judge : network.judges()) {
        if (judge == Judge::device) {
            out += card("measured", time_text(Nanoseconds{network.measured->whole_ns}),
                        fmt::format("median of {}; {} in kernels", network.measured->samples.size(),
                                    total(judge)));
        } else {
            out += card(time_word(judge), total(judge), "sum over the kernels");
        }
    }
    for (const networks::Pass pass : networks::all_passes) {
        if (const auto sum = network.total(network.last_judge(), pass); sum && *sum > 0) {
            out += card(to_string(pass), time_text(Nanoseconds{*sum}),
                        time_word(network.last_judge()) + ", of a batch");
        }
    }
    const MemoryPlan memory = memory_plan(plan);
    out += card("memory of the plan", bytes_text(Bytes{memory.slot_bytes()}),
                fmt::format("{} needed at once, {} if nothing were shared",
                            bytes_text(Bytes{memory.alive_bytes}),
                            bytes_text(Bytes{memory.sum_bytes})));
    out += card("weights and inputs", bytes_text(Bytes{memory.constant_bytes}), "beside it");
    if (network.measured && !network.measured->checked.empty()) {
        out += card("tensors checked", checks_text(*network.measured), "agree with the reference");
    }
    return out + "</dl>\n";
}

/// Times and shares, summed over all kernels that compute the same operators.
std::string operators_table(const JudgedNetwork& network)
{
    struct Sum {
        std::int64_t kernels = 0;
        std::map<Judge, double> ns;
    };
    std::map<std::string, Sum> sums;
    HtmlTable table{{{"computes"}, {"kernels", true}}, {}, {}};
    std::map<Judge, double> totals;
    for (const Judge judge : network.judges()) {
        table.columns.push_back({time_word(judge), true});
        table.columns.push_back({"share", true});
        const auto times = network.times(judge);
        for (std::size_t k = 0; k < times.size(); ++k) {
            sums[network.planned.plan.kernels[k].kernel.op.name].ns[judge] += times[k].value_or(0);
            totals[judge] += times[k].value_or(0);
        }
    }
    for (const networks::PlannedKernel& each : network.planned.plan.kernels) {
        ++sums[each.kernel.op.name].kernels;
    }
    std::vector<std::pair<std::string, Sum>> order(sums.begin(), sums.end());
    std::ranges::stable_sort(order, std::greater{}, [&](const auto& each) {
        return each.second.ns.at(network.last_judge());
    });
    for (const auto& [name, sum] : order) {
        std::vector<std::string> row{escape_html(name), count_text(sum.kernels)};
        for (const auto& [judge, ns] : sum.ns) {
            row.push_back(time_text(Nanoseconds{ns}));
            row.push_back(totals[judge] > 0 ? percent_text(ns / totals[judge]) : std::string(dash));
        }
        table.rows.push_back(std::move(row));
    }
    return to_html(table);
}

std::string bars_figure(const JudgedNetwork& network, const std::vector<std::size_t>& kernels,
                        const std::string& title)
{
    return fmt::format("<figure>{}</figure>\n", svg_element(kernel_bars(network, kernels), title));
}

std::string time_section(const JudgedNetwork& network)
{
    std::string out =
        "<section id=\"time\"><h2>Where the time goes</h2>\n" + operators_table(network);
    const auto times = network.times(network.last_judge());
    std::vector<std::size_t> all(times.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (bars_are_shares(network)) {
        out += "<p>The judges are more than ten times apart: bars are shares of each one\u2019s "
               "total.</p>\n";
    }
    if (all.size() <= few_kernels) {
        return out + "<h3>Kernels in their order</h3>\n" +
               bars_figure(network, all, "Kernels in their order") + "</section>\n";
    }
    // Of many kernels, the slowest first; all of them are folded up below.
    std::vector<std::size_t> slow = all;
    std::ranges::stable_sort(slow, std::greater{},
                             [&](std::size_t k) { return times[k].value_or(0); });
    slow.resize(slow_kernels);
    double share = 0;
    double sum = 0;
    for (const auto& time : times) {
        sum += time.value_or(0);
    }
    for (const std::size_t k : slow) {
        share += times[k].value_or(0) / sum;
    }
    out += fmt::format("<h3>The {} kernels that take most<small>{} of the {} time</small></h3>\n",
                       slow_kernels, percent_text(share), time_word(network.last_judge()));
    out += bars_figure(network, slow, "The kernels that take most");
    return out + fmt::format("<details><summary>All {} kernels in their "
                             "order</summary>\n{}</details>\n</section>\n",
                             all.size(), bars_figure(network, all, "All kernels in their order"));
}

std::string agreement_section(const JudgedNetwork& network)
{
    std::string figures;
    for (const auto& [a, b] : judge_pairs) {
        if (const auto plot = agreement_plot(network, a, b)) {
            const auto tau = network.agreement(a, b);
            figures +=
                figure_html(*plot, to_string(a) + " and " + to_string(b),
                            fmt::format("{} and {}: Kendall \u03C4 {}", to_string(a), to_string(b),
                                        tau ? fmt::format("{:.2f}", *tau) : std::string(dash)));
        }
    }
    return "<section id=\"agreement\"><h2>Agreement of the judges</h2>\n" +
           (figures.empty() ? "<p>One judge alone gave the kernels times.</p>\n"
                            : "<p>A mark for each kernel; on the dashed line both say the same. "
                              "Kendall\u2019s \u03C4 over "
                              "the kernels is 1 where both order them alike, 0 where the orders "
                              "have nothing in common.</p>\n"
                              "<div class=\"row\">\n" +
                                  figures + "</div>\n") +
           "</section>\n";
}

/// Times of each layer in each pass, and what it keeps for the backward pass.
std::string layers_table(const JudgedNetwork& network)
{
    HtmlTable table{{{"layer"}, {"makes"}}, {}, {}};
    for (const Judge judge : network.judges()) {
        for (const networks::Pass pass : networks::all_passes) {
            if (network.total(judge, pass).value_or(0) > 0) {
                table.columns.push_back({to_string(pass) + ", " + time_word(judge), true});
            }
        }
    }
    table.columns.push_back({"kept for the backward pass", true});
    for (const TrainedLayer& layer : training_layers(network)) {
        std::vector<std::string> row{
            fmt::format("{} <small>{}</small>", escape_html(layer.name), escape_html(layer.op)),
            layer.shape};
        for (const Judge judge : network.judges()) {
            for (const networks::Pass pass : networks::all_passes) {
                if (network.total(judge, pass).value_or(0) > 0) {
                    const auto judged = layer.ns.find(judge);
                    const bool known = judged != layer.ns.end() && judged->second.contains(pass);
                    row.push_back(known ? time_text(Nanoseconds{judged->second.at(pass)})
                                        : std::string(dash));
                }
            }
        }
        row.push_back(layer.kept_bytes > 0 ? bytes_text(Bytes{layer.kept_bytes})
                                           : std::string(dash));
        table.rows.push_back(std::move(row));
    }
    return to_html(table);
}

std::string training_section(const JudgedNetwork& network)
{
    std::string out = "<section id=\"training\"><h2>Training</h2>\n";
    if (const auto plot = loss_plot(network)) {
        out +=
            figure_html(*plot, "Loss by step", "The loss of each step, the mean over its batches.");
    }
    std::int64_t kept = 0;
    for (const std::int64_t bytes : kept_for_backward(network)) {
        kept += bytes;
    }
    out += fmt::format("<p>Of what the forward pass makes, {} are kept for the backward pass",
                       bytes_text(Bytes{kept}));
    if (network.blocks_again > 0) {
        out += fmt::format("; {} of {} blocks are computed again, to stay within {}",
                           network.blocks_again, network.blocks,
                           bytes_text(Bytes{network.memory_budget.value_or(0)}));
    }
    return out +
           ". A kernel is in the row of the node that it begins with, whatever it takes in.</p>\n" +
           layers_table(network) + "</section>\n";
}

std::string memory_section(const JudgedNetwork& network)
{
    const MemoryPlan memory = memory_plan(network.planned.plan);
    return fmt::format("<section id=\"memory\"><h2>Memory</h2>\n<p>What kernels make is needed "
                       "from the kernel that makes it to the "
                       "last that reads it: {} at once where it is most. Values that are never "
                       "needed at once share images and "
                       "buffers; the plan takes {} of {}. Weights and inputs, {}, are not among "
                       "them.</p>\n{}</section>\n",
                       bytes_text(Bytes{memory.alive_bytes}),
                       bytes_text(Bytes{memory.slot_bytes()}), bytes_text(Bytes{memory.sum_bytes}),
                       bytes_text(Bytes{memory.constant_bytes}),
                       figure_html(memory_plot(network), "Memory needed by kernel",
                                   "What is needed while each kernel runs."));
}

std::string cache_section(const JudgedNetwork& network)
{
    std::string out = "<section id=\"caches\"><h2>Caches</h2>\n";
    if (const auto plot = hit_rate_plot(network)) {
        out += "<p>Lookups of the simulated kernels that hit, of all reads, in the order of the "
               "untimed mode.</p>\n" +
               figure_html(*plot, "Hits of L1 and L2 by kernel",
                           "Kernels without a mark look nothing up there.");
    } else {
        out += network.has(Judge::simulator) ? "<p>No lookups were counted.</p>\n"
                                             : "<p>The kernels were not simulated.</p>\n";
    }
    return out + "</section>\n";
}

/// A tensor's layout and name, with its texels on hover.
std::string tensor_html(const TensorWords& tensor)
{
    return fmt::format("<span title=\"{}: {}\">{} <small>{}</small></span>",
                       escape_html(tensor.name), escape_html(tensor.texels),
                       escape_html(tensor.layout), escape_html(tensor.name));
}

/// The values that a kernel reads, one on each line, and below them where its constants lie.
std::string reads_html(const std::vector<TensorWords>& inputs)
{
    std::vector<std::string> lines;
    std::string constants;
    for (const TensorWords& input : inputs) {
        if (input.value) {
            lines.push_back(tensor_html(input));
        } else {
            constants += fmt::format("{}<span title=\"{}: {}\">{}</span>",
                                     constants.empty() ? "" : ", ", escape_html(input.name),
                                     escape_html(input.texels), escape_html(input.layout));
        }
    }
    if (!constants.empty()) {
        lines.push_back("<small>constants: " + constants + "</small>");
    }
    return fmt::format("{}", fmt::join(lines, "<br/>"));
}

/// A schedule, which may be broken between its parts.
std::string schedule_html(const std::string& schedule)
{
    std::string html = "<code>";
    for (const char letter : escape_html(schedule)) {
        html += letter;
        html += letter == ';' ? "<wbr/>" : "";
    }
    return html + "</code>";
}

std::string hits_text(const CacheStatistics& cache)
{
    return cache.lookups > 0 ? percent_text(1 - cache.miss_rate()) : std::string(dash);
}

class KernelTable {
public:
    explicit KernelTable(const JudgedNetwork& network)
        : network_(network), checked_(network.measured && !network.measured->checked.empty()),
          cached_(hit_rate_plot(network).has_value())
    {
        table_.columns = {{"", true}, {"computes"}};
        for (const Judge judge : network.judges()) {
            table_.columns.push_back({time_word(judge), true});
            times_.push_back(network.times(judge));
        }
        if (cached_) {
            table_.columns.push_back({"L1, L2 hits", true});
        }
        if (checked_) {
            table_.columns.push_back({"error", true});
        }
        table_.columns.insert(table_.columns.end(), {{"configuration"}, {"reads"}, {"writes"}});
        for (std::size_t k = 0; k < network.planned.plan.kernels.size(); ++k) {
            add(k);
        }
    }

    [[nodiscard]] std::string html() const { return to_html(table_); }

private:
    void add(std::size_t k)
    {
        const KernelWords words = kernel_words(network_.planned.plan, k);
        const std::string nodes = escape_html(fmt::format("{}", fmt::join(words.nodes, ", ")));
        std::vector<std::string> row{count_text(static_cast<std::int64_t>(k)),
                                     fmt::format("{} {}<br/><small>{}{}</small>",
                                                 words.conversion ? "<strong>conversion</strong>"
                                                                  : escape_html(words.computes),
                                                 words.shape, words.conversion ? "for " : "",
                                                 nodes)};
        for (const auto& times : times_) {
            row.push_back(
                time_text(times[k] ? std::optional(Nanoseconds{*times[k]}) : std::nullopt));
        }
        if (cached_) {
            row.push_back(hits_text(network_.simulated[k].l1) + "<br/>" +
                          hits_text(network_.simulated[k].l2));
        }
        if (checked_) {
            const TensorCheck* const check =
                network_.measured->check_of(network_.planned.plan.kernels[k].kernel.output);
            row.push_back(check == nullptr ? std::string(dash)
                          : check->passed  ? fmt::format("{:.1e}", check->error)
                                           : fmt::format("<strong>{:.1e}</strong>", check->error));
        }
        row.insert(row.end(), {schedule_html(words.configuration), reads_html(words.inputs),
                               tensor_html(words.output)});
        table_.rows.push_back(std::move(row));
    }

    const JudgedNetwork& network_;
    bool checked_;
    bool cached_;
    std::vector<std::vector<std::optional<double>>> times_;
    HtmlTable table_;
};

/// A sentence for each reason why kernels were not simulated, with their numbers.
std::string not_simulated(const JudgedNetwork& network)
{
    std::map<std::string, std::vector<std::size_t>> kernels;
    for (std::size_t k = 0; k < network.simulated.size(); ++k) {
        if (!network.simulated[k].time) {
            kernels[network.simulated[k].why_not].push_back(k);
        }
    }
    std::string out;
    for (const auto& [reason, numbers] : kernels) {
        out += fmt::format("<p>Not simulated: kernel {}: {}.</p>\n", fmt::join(numbers, ", "),
                           escape_html(reason));
    }
    return out;
}

std::string kernels_section(const JudgedNetwork& network)
{
    const std::vector<networks::PlannedKernel>& kernels = network.planned.plan.kernels;
    const auto conversions =
        std::ranges::count(kernels, true, &networks::PlannedKernel::conversion);
    std::string out = "<section id=\"kernels\"><h2>Kernels</h2>\n<p>";
    out +=
        conversions == 0
            ? "Every kernel reads what others write as it lies: there are no conversions."
            : fmt::format(
                  "{} of {} kernels only store a value otherwise, for one that reads other texels.",
                  conversions, kernels.size());
    if (network.measured && !network.measured->checked.empty()) {
        out += fmt::format(" {} tensors agree with the reference: the error is the largest "
                           "difference over the largest "
                           "number, {:g} is allowed.",
                           checks_text(*network.measured), network.measured->allowed_error);
    }
    return out + "</p>\n" + not_simulated(network) + KernelTable(network).html() + "</section>\n";
}

} // namespace

std::string network_report(const JudgedNetwork& network)
{
    return html_page(
        network.graph.name + " on " + network.profile,
        head(network) + (network.training ? training_section(network) : std::string()) +
            time_section(network) + agreement_section(network) + memory_section(network) +
            cache_section(network) + kernels_section(network));
}

} // namespace texelscope::workbench::network_studies
