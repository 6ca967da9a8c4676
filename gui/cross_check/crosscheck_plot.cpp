#include "gui/cross_check/crosscheck_plot.hpp"

#include "gui/cross_check/crosscheck_model.hpp"
#include "gui/plots/scatter_plot.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/flow_layout.hpp"

#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

enum PlotMode { against_each_other, ratio_over_time };

QComboBox* judge_box(const char* object_name, const QString& about, Judge chosen)
{
    auto* box = named_with_tip(new QComboBox, object_name, about);
    for (const Judge judge : all_judges) {
        box->addItem(judge_text(judge));
    }
    box->setCurrentIndex(static_cast<int>(chosen));
    return box;
}

Judge judge_in(const QComboBox* box)
{
    return all_judges[static_cast<std::size_t>(box->currentIndex())];
}

QString tip_text(const CrosscheckRow& row)
{
    QStringList lines{QString::fromStdString(to_string(row.schedule))};
    for (const Judge judge : all_judges) {
        const std::optional<Nanoseconds> time = row.time(judge);
        lines << judge_text(judge) + QStringLiteral(": ") +
                     (time ? time_text(*time) : QString::fromStdString(row.reason));
    }
    return lines.join(u'\n');
}

} // namespace

CrosscheckPlot::CrosscheckPlot()
{
    mode_ = named_with_tip(new QComboBox, "crosscheck_mode", tr("What the plot shows"));
    mode_->addItem(tr("Times"));
    mode_->addItem(tr("Ratio"));
    y_ = judge_box("crosscheck_y", tr("Judge"), Judge::model);
    x_ = judge_box("crosscheck_x", tr("Judge that it is compared with"), Judge::simulator);
    colour_ = named_with_tip(new QComboBox, "crosscheck_colour",
                             tr("Input whose access pattern colours the points"));
    plot_ = new ScatterPlot;
    auto* row = new FlowLayout;
    row->addWidget(mode_);
    row->addWidget(y_);
    row->add_labelled(tr("to"), x_);
    row->add_labelled(tr("Colour"), colour_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(plot_, 1);
    for (QComboBox* box : {mode_, x_, y_, colour_}) {
        connect(box, &QComboBox::currentIndexChanged, this, &CrosscheckPlot::refresh);
    }
    connect(plot_, &ScatterPlot::selected, this,
            [this](int row_of_point) { emit rows_selected({row_of_point}); });
    connect(plot_, &ScatterPlot::several_selected, this, &CrosscheckPlot::rows_selected);
    connect(plot_, &ScatterPlot::activated, this, &CrosscheckPlot::activated);
    refresh();
}

void CrosscheckPlot::show_inputs(const Operator& op)
{
    const QSignalBlocker blocker(colour_);
    colour_->clear();
    for (const Tensor& input : op.inputs) {
        colour_->addItem(QString::fromStdString(input.name));
    }
}

void CrosscheckPlot::show_result(const CrosscheckResult& result)
{
    result_ = result;
    refresh();
}

void CrosscheckPlot::compare_with_device(bool measures)
{
    x_->setCurrentIndex(static_cast<int>(measures ? Judge::device : Judge::simulator));
}

void CrosscheckPlot::select(const std::vector<int>& rows)
{
    plot_->select(rows);
}

void CrosscheckPlot::refresh()
{
    ScatterData shown;
    const Judge x = judge_in(x_);
    const Judge y = judge_in(y_);
    const bool as_ratio = mode_->currentIndex() == ratio_over_time;
    shown.axes = as_ratio ? ScatterAxes::ratio : ScatterAxes::one_scale;
    shown.x_title = judge_text(x);
    shown.y_title =
        as_ratio ? judge_text(y) + QStringLiteral(" / ") + judge_text(x) : judge_text(y);
    shown.x_text = [](double ns) { return time_text({ns}); };
    shown.y_text =
        as_ratio ? [](double ratio) { return QString::number(ratio, 'g', 3); } : shown.x_text;
    shown.empty =
        result_.rows.empty()
            ? tr("No cross-check yet: each configuration will be a point here")
            : tr("No configuration has a time by both %1 and %2").arg(judge_text(y), judge_text(x));
    for (const AccessPattern pattern : all_access_patterns) {
        shown.categories << QString::fromStdString(to_string(pattern));
    }
    const auto input = static_cast<std::size_t>(std::max(0, colour_->currentIndex()));
    for (std::size_t row = 0; row < result_.rows.size(); ++row) {
        const CrosscheckRow& judged = result_.rows[row];
        const std::optional<Nanoseconds> of_x = judged.time(x);
        const std::optional<Nanoseconds> of_y = judged.time(y);
        // The axes are logarithmic: a row without both times has no place.
        if (of_x && of_y && of_x->value > 0 && of_y->value > 0) {
            shown.points.push_back({of_x->value, as_ratio ? of_y->value / of_x->value : of_y->value,
                                    static_cast<std::size_t>(judged.schedule.patterns.at(input)),
                                    tip_text(judged), static_cast<int>(row)});
        }
    }
    plot_->show_data(std::move(shown));
}

} // namespace texelscope::gui
