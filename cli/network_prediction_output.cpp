#include "base/number_text.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/terminal.hpp"

#include <fmt/format.h>

namespace texelscope::cli {
namespace {

/// Nanoseconds of all kernels whose time the model knows.
double time_of(const std::vector<KernelPrediction>& predictions)
{
    double sum = 0;
    for (const KernelPrediction& each : predictions) {
        sum += each.time().value_or(Nanoseconds{0}).value;
    }
    return sum;
}

ordered_json time_parts_json(const std::vector<TimePart>& parts, double all)
{
    return json_list(parts, [&](const TimePart& part) -> ordered_json {
        return {{"name", part.name},
                {"kernels", part.kernels},
                {"predicted_ns", part.time.value},
                {"share", part.time.value / all}};
    });
}

std::string time_parts_text(const char* what, const std::vector<TimePart>& parts, double all)
{
    return "\n" + format_table({what, "kernels", "predicted", "share"}, parts,
                               [&](const TimePart& part) -> Cells {
                                   return {part.name, count_text(part.kernels),
                                           human_time(part.time.value),
                                           percent_text(part.time.value / all)};
                               });
}

Cells kernel_row(const JudgedNetwork& network, std::size_t k, const KernelPrediction& prediction,
                 double all)
{
    const Plan& plan = network.planned.plan;
    const PlannedKernel& each = plan.kernels[k];
    Cells row{count_text(static_cast<std::int64_t>(k)), each.kernel.op.name,
              to_string(plan.graph.value(each.kernel.output).shape), to_string(each.schedule)};
    const auto time = prediction.time();
    if (!time) {
        row.insert(row.end(), {"-", "-", prediction.why_not, "-", "-", "-"});
        return row;
    }
    const TimePart& most = *prediction.bottleneck();
    row.insert(row.end(),
               {human_time(time->value), percent_text(time->value / all),
                fmt::format("{}, {}", most.name, percent_text(most.time.value / time->value)),
                warps_text(prediction.occupancy), prediction.limited_by,
                number_text(prediction.waves)});
    return row;
}

} // namespace

ordered_json network_prediction_json(const JudgedNetwork& network,
                                     const std::vector<KernelPrediction>& predictions,
                                     std::int64_t batch)
{
    const Plan& plan = network.planned.plan;
    const double all = time_of(predictions);
    ordered_json out = network_result_json(network, batch);
    bool known = true;
    for (std::size_t k = 0; k < predictions.size(); ++k) {
        const KernelPrediction& prediction = predictions[k];
        const auto time = prediction.time();
        known = known && time;
        ordered_json& node = out["nodes"][k];
        node["kind"] = kernel_kind(plan, k);
        node["predicted_ns"] = time ? ordered_json(time->value) : ordered_json();
        node["share"] = time ? ordered_json(time->value / all) : ordered_json();
        node["why_not"] = prediction.why_not;
        if (!time) {
            continue;
        }
        node["bottleneck"] = prediction.bottleneck()->name;
        node["bottlenecks"] = ordered_json::object();
        for (const TimePart& part : prediction.parts) {
            node["bottlenecks"][part.name] = part.time.value;
        }
        node["waves"] = prediction.waves;
        node["resident_warps"] = prediction.occupancy.resident;
        node["occupancy_limiter"] = to_string(prediction.occupancy.limiter);
        node["occupancy_reason"] = prediction.limited_by;
    }
    out["by_bottleneck"] = time_parts_json(parts_by_bottleneck(predictions), all);
    out["by_kind"] = time_parts_json(parts_by_kind(plan, predictions), all);
    // A sum without some kernels would look like a faster network, so there is none.
    out["total"]["predicted_ns"] = known ? ordered_json(all) : ordered_json();
    return out;
}

std::string network_prediction_text(const JudgedNetwork& network,
                                    const std::vector<KernelPrediction>& predictions)
{
    const double all = time_of(predictions);
    std::vector<Cells> rows;
    for (std::size_t k = 0; k < predictions.size(); ++k) {
        rows.push_back(kernel_row(network, k, predictions[k], all));
    }
    rows.push_back({"", "all", "", "", human_time(all), "", "", "", "", ""});
    return network_heading(network) + "\n" +
           format_table({"kernel", "computes", "output", "configuration", "predicted", "share",
                         "bottleneck", "warps", "limited by", "waves"},
                        rows) +
           time_parts_text("what decides the time", parts_by_bottleneck(predictions), all) +
           time_parts_text("kind", parts_by_kind(network.planned.plan, predictions), all);
}

} // namespace texelscope::cli
