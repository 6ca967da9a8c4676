#include "gui/network/network_model.hpp"

#include "base/csv.hpp"
#include "base/number_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/study/quantities.hpp"
#include "gui/widgets/controls.hpp"

#include <fmt/format.h>

#include <QFont>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace texelscope::gui {
namespace {

using networks::no_value;
using networks::Plan;
using networks::PlannedKernel;

std::optional<Judge> judge_of_column(int column)
{
    switch (column) {
    case NetworkModel::predicted_column:
        return Judge::model;
    case NetworkModel::simulated_column:
        return Judge::simulator;
    case NetworkModel::measured_column:
        return Judge::device;
    default:
        return std::nullopt;
    }
}

std::string lies_in(const codegen::Operand& operand)
{
    return to_string(operand.memory) +
           (operand.layout ? " " + to_string(operand.layout->pattern) : "");
}

/// Where the values that a kernel reads lie; weights and the like, which nobody else reads, are
/// left out.
std::string reads_text(const Plan& plan, const PlannedKernel& planned)
{
    std::string text;
    for (std::size_t i = 0; i < planned.kernel.inputs.size(); ++i) {
        const networks::ValueId input = planned.kernel.inputs[i];
        if (input != no_value && plan.layouts[static_cast<std::size_t>(input)]) {
            text += (text.empty() ? "" : ", ") + lies_in(planned.nest.inputs[i]);
        }
    }
    return text;
}

/// "relu_3 1x64x56x56: image row, texels along dimension 1, 56 x 896 texels".
std::string operand_text(const Plan& plan, networks::ValueId value, const codegen::Operand& operand)
{
    const codegen::Extent2D extent = operand.image.extent;
    const int packed = operand.layout ? operand.layout->packed : -1;
    return fmt::format("{} {}: {}, {}, {} x {} texels",
                       value == no_value ? operand.tensor.name : plan.graph.value(value).name,
                       networks::to_string(operand.tensor.shape), lies_in(operand),
                       packed >= 0 ? fmt::format("texels along dimension {}", packed)
                                   : "a number a texel",
                       extent.width, extent.height);
}

std::string nodes_text(const Plan& plan, const PlannedKernel& planned)
{
    std::string text =
        planned.conversion ? "stores a value otherwise, for " : planned.kernel.op.name + ": ";
    for (std::size_t i = 0; i < planned.nodes.size(); ++i) {
        const networks::Node& node = plan.graph.nodes[planned.nodes[i]];
        text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", node.name, node.op);
    }
    return text;
}

std::optional<double> hit_share(const sim::CacheStatistics& cache)
{
    return cache.lookups > 0
               ? std::optional(static_cast<double>(cache.hits) / static_cast<double>(cache.lookups))
               : std::nullopt;
}

/// The number of a column behind the first ones: times in ns, shares of one, the largest relative
/// error. Nothing where there is none.
std::optional<double> number_of(const NetworkResult& network, std::size_t kernel, int column)
{
    const JudgedNetwork& judged = network.judged;
    switch (column) {
    case NetworkModel::share_column:
        return network.share(kernel);
    case NetworkModel::l1_column:
        return judged.simulated.empty() ? std::nullopt : hit_share(judged.simulated[kernel].l1);
    case NetworkModel::l2_column:
        return judged.simulated.empty() ? std::nullopt : hit_share(judged.simulated[kernel].l2);
    case NetworkModel::kept_column:
        return network.kept[kernel] > 0 ? std::optional(static_cast<double>(network.kept[kernel]))
                                        : std::nullopt;
    case NetworkModel::error_column: {
        const TensorCheck* const check = network.check(kernel);
        return check != nullptr ? std::optional(check->error) : std::nullopt;
    }
    default:
        return judged.time(*judge_of_column(column), kernel);
    }
}

} // namespace

void NetworkModel::set_result(std::shared_ptr<const NetworkResult> result)
{
    beginResetModel();
    result_ = std::move(result);
    endResetModel();
}

bool NetworkModel::has_column(int column) const
{
    if (column == pass_column || column == layer_column) {
        return result_ && result_->judged.training;
    }
    if (column < predicted_column) {
        return true;
    }
    for (std::size_t row = 0; row < height(); ++row) {
        if (number_of(*result_, row, column)) {
            return true;
        }
    }
    return false;
}

bool NetworkModel::has_numbers(int column) const
{
    return column == kernel_column || column >= predicted_column;
}

QString NetworkModel::text(std::size_t row, int column) const
{
    const Plan& plan = result_->judged.planned.plan;
    const PlannedKernel& planned = plan.kernels[row];
    switch (column) {
    case kernel_column:
        return QString::number(row);
    case computes_column:
        return (planned.conversion ? QStringLiteral("⇄ ") : QString()) +
               QString::fromStdString(planned.kernel.op.name);
    case shape_column:
        return QString::fromStdString(networks::to_string(planned.nest.output.tensor.shape));
    case pass_column:
        return result_->judged.training
                   ? QString::fromStdString(to_string(result_->judged.pass(row)))
                   : QString();
    case layer_column:
        return result_->judged.training ? QString::fromStdString(result_->judged.layer(row).name)
                                        : QString();
    case configuration_column:
        return QString::fromStdString(to_string(planned.schedule));
    case reads_column:
        return QString::fromStdString(reads_text(plan, planned));
    case writes_column:
        return QString::fromStdString(lies_in(planned.nest.output));
    default:
        break;
    }
    const std::optional<double> value = number_of(*result_, row, column);
    if (!value) {
        return QStringLiteral("-");
    }
    if (column == kept_column) {
        return QString::fromStdString(base::bytes_text(Bytes{result_->kept[row]}));
    }
    if (column == error_column) {
        const bool passed = result_->check(row)->passed;
        return QString::fromStdString(fmt::format("{:.1e}{}", *value, passed ? "" : ", too large"));
    }
    return judge_of_column(column) ? time_text(Nanoseconds{*value})
                                   : QString::fromStdString(fmt::format("{:.1f} %", 100 * *value));
}

QString NetworkModel::tip(std::size_t row, int column) const
{
    const Plan& plan = result_->judged.planned.plan;
    const PlannedKernel& planned = plan.kernels[row];
    if (column == computes_column) {
        return QString::fromStdString(nodes_text(plan, planned));
    }
    if (column == reads_column) {
        QStringList lines;
        for (std::size_t i = 0; i < planned.kernel.inputs.size(); ++i) {
            lines << QString::fromStdString(
                operand_text(plan, planned.kernel.inputs[i], planned.nest.inputs[i]));
        }
        return lines.join(u'\n');
    }
    if (column == writes_column) {
        return QString::fromStdString(
            operand_text(plan, planned.kernel.output, planned.nest.output));
    }
    if (column == simulated_column && !result_->judged.simulated.empty()) {
        const SimulatedKernel& simulated = result_->judged.simulated[row];
        return simulated.time ? tr("%1 % of its warp accesses were simulated")
                                    .arg(100 * simulated.simulated_share, 0, 'g', 3)
                              : QString::fromStdString(simulated.why_not);
    }
    return text(row, column);
}

QVariant NetworkModel::cell(std::size_t row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::ToolTipRole:
        return tip(row, column);
    case Qt::FontRole:
        if (result_->kernels()[row].conversion) {
            QFont slanted;
            slanted.setItalic(true);
            return slanted;
        }
        return {};
    case sort_role:
        return column == kernel_column ? QVariant(static_cast<double>(row))
               : has_numbers(column)
                   ? QVariant(number_of(*result_, row, column)
                                  .value_or(std::numeric_limits<double>::infinity()))
                   : QVariant(text(row, column));
    default:
        return {};
    }
}

QVariant NetworkModel::heading(int column, int role) const
{
    const QString words =
        QStringList{tr("Kernel"),    tr("Computes"),      tr("Shape"),    tr("Pass"),
                    tr("Layer"),     tr("Configuration"), tr("Reads"),    tr("Writes"),
                    tr("Predicted"), tr("Simulated"),     tr("Measured"), tr("Share"),
                    tr("L1 hits"),   tr("L2 hits"),       tr("Kept"),     tr("Error")}
            .at(column);
    if (role == Qt::ToolTipRole) {
        return quantity_tip(QStringLiteral("column: ") + words);
    }
    return role == Qt::DisplayRole ? QVariant(words) : QVariant();
}

void LayersModel::set_result(std::shared_ptr<const NetworkResult> result)
{
    beginResetModel();
    result_ = std::move(result);
    // Only passes that took time have a column.
    times_.clear();
    for (const Judge judge : result_->judged.judges()) {
        for (const networks::Pass pass : networks::all_passes) {
            if (result_->judged.total(judge, pass).value_or(0) > 0) {
                times_.push_back({judge, pass});
            }
        }
    }
    endResetModel();
}

namespace {

constexpr int layer_words = 3; ///< columns in front of the times: name, operator, shape

} // namespace

int LayersModel::width() const
{
    return layer_words + static_cast<int>(times_.size()) + 1;
}

bool LayersModel::has_numbers(int column) const
{
    return column >= layer_words;
}

std::optional<double> LayersModel::number(std::size_t row, int column) const
{
    const TrainedLayer& layer = result_->layers[row];
    const auto time = static_cast<std::size_t>(column - layer_words);
    if (time == times_.size()) {
        return layer.kept_bytes > 0 ? std::optional(static_cast<double>(layer.kept_bytes))
                                    : std::nullopt;
    }
    const auto judged = layer.ns.find(times_[time].judge);
    if (judged == layer.ns.end() || !judged->second.contains(times_[time].pass)) {
        return std::nullopt;
    }
    return judged->second.at(times_[time].pass);
}

QVariant LayersModel::cell(std::size_t row, int column, int role) const
{
    const TrainedLayer& layer = result_->layers[row];
    if (column < layer_words) {
        const QString words = QString::fromStdString(column == 0   ? layer.name
                                                     : column == 1 ? layer.op
                                                                   : layer.shape);
        const bool text =
            role == Qt::DisplayRole || role == NetworkModel::sort_role || role == Qt::ToolTipRole;
        return text ? QVariant(words) : QVariant();
    }
    const std::optional<double> value = number(row, column);
    if (role == NetworkModel::sort_role) {
        return value.value_or(std::numeric_limits<double>::infinity());
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    return !value ? QStringLiteral("-")
           : column == width() - 1
               ? QString::fromStdString(base::bytes_text(Bytes{static_cast<std::int64_t>(*value)}))
               : time_text(Nanoseconds{*value});
}

QVariant LayersModel::heading(int column, int role) const
{
    const QStringList words{tr("Layer"), tr("Computes"), tr("Shape")};
    QString name = column < layer_words ? words.at(column) : tr("Kept");
    QString key = name;
    if (column >= layer_words && column < width() - 1) {
        const TimeColumn& time = times_[static_cast<std::size_t>(column - layer_words)];
        QString pass = QString::fromStdString(to_string(time.pass));
        pass[0] = pass[0].toUpper();
        name = tr("%1, %2").arg(pass, QString::fromStdString(time_word(time.judge)));
        key = tr("Pass");
    }
    if (role == Qt::ToolTipRole) {
        return quantity_tip(QStringLiteral("column: ") + key);
    }
    return role == Qt::DisplayRole ? QVariant(name) : QVariant();
}

std::string network_csv(const NetworkResult& network)
{
    const Plan& plan = network.judged.planned.plan;
    std::string csv = "kernel,computes,conversion,shape,pass,layer,configuration,reads,writes,"
                      "predicted_ns,simulated_ns,measured_ns,"
                      "share,l1_hits,l2_hits,kept_bytes,error\n";
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const PlannedKernel& planned = plan.kernels[k];
        csv += fmt::format("{},{},{},{},{},{},{},{},{}", k, csv_field(planned.kernel.op.name),
                           planned.conversion ? "yes" : "no",
                           networks::to_string(planned.nest.output.tensor.shape),
                           network.judged.training ? to_string(network.judged.pass(k)) : "",
                           csv_field(network.judged.training ? network.judged.layer(k).name : ""),
                           csv_field(to_string(planned.schedule)),
                           csv_field(reads_text(plan, planned)),
                           csv_field(lies_in(planned.nest.output)));
        for (int column = NetworkModel::predicted_column; column <= NetworkModel::error_column;
             ++column) {
            const auto number = number_of(network, k, column);
            csv += number ? fmt::format(",{}", *number) : ",";
        }
        csv += "\n";
    }
    return csv;
}

QString summary_text(const NetworkResult& network)
{
    const JudgedNetwork& judged = network.judged;
    const auto conversions = std::ranges::count_if(network.kernels(), &PlannedKernel::conversion);
    std::string line =
        fmt::format("{}, batch {}, on {}: {} kernels", network_name(network.request.model),
                    network.request.batch, judged.profile, network.kernels().size());
    if (conversions > 0) {
        line += fmt::format(", {} of them conversions", conversions);
    }
    for (const Judge judge : all_judges) {
        if (judged.has(judge)) {
            const auto total = judged.total(judge);
            line += fmt::format("; {} {}", time_word(judge),
                                total ? base::time_text(Nanoseconds{*total}) : "in part");
        }
    }
    if (judged.measured) {
        line += fmt::format(" on {} ({} from start to end)", judged.measured->device,
                            base::time_text(Nanoseconds{judged.measured->whole_ns}));
    }
    if (judged.training) {
        std::string passes;
        for (const networks::Pass pass : networks::all_passes) {
            if (const auto total = judged.total(judged.last_judge(), pass); total && *total > 0) {
                passes += fmt::format("{}{} {}", passes.empty() ? "" : ", ", to_string(pass),
                                      base::time_text(Nanoseconds{*total}));
            }
        }
        line += fmt::format("; {} {}", time_word(judged.last_judge()), passes);
        if (!judged.trained.losses.empty()) {
            line += fmt::format("; loss {:.4g} in the first step, {:.4g} in step {}",
                                judged.trained.losses.front(), judged.trained.losses.back(),
                                judged.trained.losses.size());
        }
    }
    const auto tau = judged.agreement(Judge::model, network.judged.last_judge());
    if (network.judged.last_judge() != Judge::model && tau) {
        line += fmt::format("; tau of model and {} {:.2f}",
                            network.judged.last_judge() == Judge::device ? "device" : "simulator",
                            *tau);
    }
    if (judged.measured && !judged.measured->checked.empty()) {
        const std::int64_t all = std::ssize(judged.measured->checked);
        line += fmt::format("; {} of {} tensors are right", all - judged.measured->failed(), all);
    }
    const networks::MemoryPlan& memory = network.memory;
    line += fmt::format(".\nMemory: {} in {} slots, {} needed at once, {} if nothing were shared; "
                        "{} of weights and inputs.",
                        base::bytes_text(Bytes{memory.slot_bytes()}), memory.slot_sizes.size(),
                        base::bytes_text(Bytes{memory.alive_bytes}),
                        base::bytes_text(Bytes{memory.sum_bytes}),
                        base::bytes_text(Bytes{memory.constant_bytes}));
    if (judged.training) {
        std::int64_t kept = 0;
        for (const std::int64_t bytes : network.kept) {
            kept += bytes;
        }
        line += fmt::format(" {} of what the forward pass makes are kept for the backward pass.",
                            base::bytes_text(Bytes{kept}));
    }
    return QString::fromStdString(line);
}

} // namespace texelscope::gui
