#include "gui/ranking/ranking_scatter.hpp"

#include "base/number_text.hpp"
#include "gui/plots/scatter_plot.hpp"
#include "gui/widgets/controls.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::gui {
namespace {

/// From the least to the largest logarithm.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value)
    {
        low = std::min(low, std::log(value));
        high = std::max(high, std::log(value));
    }
    [[nodiscard]] std::size_t cell(double value, int cells) const
    {
        const double share = high > low ? (std::log(value) - low) / (high - low) : 0;
        return static_cast<std::size_t>(std::min(cells - 1, static_cast<int>(share * cells)));
    }
};

struct Choice {
    int column;
    const char* title; ///< of the axis
};
constexpr std::array choices{
    Choice{RankingColumn::rank, QT_TRANSLATE_NOOP("RankingScatter", "Rank")},
    Choice{RankingColumn::predicted, QT_TRANSLATE_NOOP("RankingScatter", "Predicted")},
    Choice{RankingColumn::simulated, QT_TRANSLATE_NOOP("RankingScatter", "Simulated")},
    Choice{RankingColumn::measured, QT_TRANSLATE_NOOP("RankingScatter", "Measured")},
    Choice{RankingColumn::registers, QT_TRANSLATE_NOOP("RankingScatter", "Compiled registers")},
    Choice{RankingColumn::warps, QT_TRANSLATE_NOOP("RankingScatter", "Compiled warps")},
    Choice{RankingColumn::spills, QT_TRANSLATE_NOOP("RankingScatter", "Spills, where it spills")},
    Choice{RankingColumn::tile, QT_TRANSLATE_NOOP("RankingScatter", "Outputs of a work-item")},
    Choice{RankingColumn::warp, QT_TRANSLATE_NOOP("RankingScatter", "Width of a warp")},
    Choice{RankingColumn::group, QT_TRANSLATE_NOOP("RankingScatter", "Work-items of a group")}};

std::function<QString(double)> axis_text(int column)
{
    if (is_time(column)) {
        return [](double ns) { return time_text({ns}); };
    }
    return [](double value) { return QString::fromStdString(base::number_text(value)); };
}

} // namespace

// Thins the points out: the plot is a grid, and of each cell only the best-ranked point is drawn,
// and those in `keep` (the selected ones). Both axes are logarithmic, so points without a positive
// number are left out.
RankingPoints ranking_points(const RankingRows& rows, const std::vector<std::size_t>& shown, int x,
                             int y, const std::vector<std::size_t>& keep, std::pair<int, int> grid)
{
    std::vector<RankingPoint> points;
    Extent along_x;
    Extent along_y;
    for (const std::size_t row : shown) {
        const RankingPoint point{row, rows.number(row, x), rows.number(row, y)};
        if (point.x > 0 && point.y > 0 && std::isfinite(point.x) && std::isfinite(point.y)) {
            points.push_back(point);
            along_x.add(point.x);
            along_y.add(point.y);
        }
    }
    RankingPoints result;
    result.all = points.size();
    constexpr std::size_t free = std::numeric_limits<std::size_t>::max();
    const auto [columns, lines] = grid;
    std::vector<std::size_t> best(
        static_cast<std::size_t>(columns) * static_cast<std::size_t>(lines), free);
    const auto cell_of = [&, columns = columns, lines = lines](const RankingPoint& point) {
        return along_y.cell(point.y, lines) * static_cast<std::size_t>(columns) +
               along_x.cell(point.x, columns);
    };
    for (const RankingPoint& point : points) {
        std::size_t& row = best[cell_of(point)];
        row = std::min(row, point.row);
    }
    for (const RankingPoint& point : points) {
        if (best[cell_of(point)] == point.row ||
            std::binary_search(keep.begin(), keep.end(), point.row)) {
            result.points.push_back(point);
        }
    }
    return result;
}

RankingScatter::RankingScatter(QWidget* parent)
    : QWidget(parent), x_(named_with_tip(new QComboBox, "ranking_x", tr("Column along x"))),
      y_(named_with_tip(new QComboBox, "ranking_y", tr("Column along y"))),
      colour_(named_with_tip(new QComboBox, "ranking_colour",
                             tr("Input whose access pattern colours the points"))),
      note_(new QLabel), plot_(new ScatterPlot),
      job_({.progressed = {},
            .finished = [this](const std::shared_ptr<RankingPoints>& points) { draw(*points); },
            .failed = [this](const QString& line) { note_->setText(line); },
            .cancelled = {}})
{
    setObjectName("ranking_scatter");
    named(plot_, "ranking_plot", tr("Two columns of the ranking against each other"));
    note_->setObjectName("ranking_plot_note");
    for (QComboBox* axis : {x_, y_}) {
        for (const Choice& choice : choices) {
            axis->addItem(tr(choice.title), choice.column);
        }
    }
    x_->setCurrentIndex(x_->findData(RankingColumn::group));
    y_->setCurrentIndex(y_->findData(RankingColumn::predicted));

    auto* row = new QHBoxLayout;
    const auto add = [&](const QString& text, QComboBox* control) {
        control->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        control->setMinimumContentsLength(6);
        row->addWidget(label_for(text, control));
        row->addWidget(control, 1);
    };
    add(tr("y"), y_);
    add(tr("over x"), x_);
    add(tr("Colour"), colour_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(plot_, 1);
    layout->addWidget(note_);
    note_->hide();

    for (QComboBox* control : {x_, y_, colour_}) {
        connect(control, &QComboBox::currentIndexChanged, this, &RankingScatter::work_out);
    }
    // Selections are kept sorted, as binary_search() in ranking_points() needs them.
    const auto tell = [this](const std::vector<int>& rows) {
        std::vector<std::size_t> told(rows.begin(), rows.end());
        std::sort(told.begin(), told.end());
        selected_ = told;
        emit rows_selected(told);
    };
    connect(plot_, &ScatterPlot::selected, this, [tell](int point) { tell({point}); });
    connect(plot_, &ScatterPlot::several_selected, this, tell);
    connect(plot_, &ScatterPlot::activated, this,
            [this](int point) { emit activated(static_cast<std::size_t>(point)); });
    draw({});
}

int RankingScatter::column_in(const QComboBox* box) const
{
    return box->currentData().toInt();
}

void RankingScatter::show_rows(const RankingRows& rows, const std::vector<std::size_t>& shown)
{
    const bool other = rows.ranked != rows_.ranked;
    rows_ = rows;
    shown_ = std::make_shared<const std::vector<std::size_t>>(shown);
    if (other) {
        fill_boxes();
    }
    work_out();
}

void RankingScatter::fill_boxes()
{
    const QSignalBlocker blocker(colour_);
    const int before = std::max(0, colour_->currentIndex());
    colour_->clear();
    if (rows_.ranked) {
        for (const Tensor& input : rows_.ranked->op().inputs) {
            colour_->addItem(QString::fromStdString(input.name));
        }
    }
    colour_->setCurrentIndex(std::min(before, colour_->count() - 1));
}

void RankingScatter::select(std::vector<std::size_t> rows)
{
    std::sort(rows.begin(), rows.end());
    if (rows != selected_) {
        selected_ = std::move(rows);
        work_out(); // one of them may have been thinned out
    }
}

void RankingScatter::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!worked_out_) {
        work_out();
    }
}

// Only a plot that is in sight is worked out; showEvent() catches up.
void RankingScatter::work_out()
{
    worked_out_ = isVisible();
    if (!worked_out_) {
        job_.drop(); // of rows that are no longer these
        return;
    }
    const auto work = [rows = rows_, shown = shown_, x = column_in(x_), y = column_in(y_),
                       keep = selected_] { return ranking_points(rows, *shown, x, y, keep); };
    // A few rows are worked out at once, so that the plot does not lag behind the table.
    if (shown_->size() <= quick_rows) {
        job_.drop();
        draw(work());
    } else {
        job_.start([work](const Progress&, const StopToken&) { return work(); });
    }
}

void RankingScatter::draw(const RankingPoints& points)
{
    ScatterData plot;
    const int x = column_in(x_);
    const int y = column_in(y_);
    plot.axes = ScatterAxes::unrelated;
    plot.x_title = x_->currentText();
    plot.y_title = y_->currentText();
    plot.x_text = axis_text(x);
    plot.y_text = axis_text(y);
    plot.empty = shown_->empty() ? tr("No configuration is shown")
                                 : tr("No configuration has both “%1” and “%2”. “Simulate "
                                      "selected” and “Compile selected” do it "
                                      "for the selected rows; F6 and F7 measure.")
                                       .arg(plot.y_title, plot.x_title);
    for (const AccessPattern pattern : all_access_patterns) {
        plot.categories << QString::fromStdString(to_string(pattern));
    }
    const auto input = static_cast<std::size_t>(std::max(0, colour_->currentIndex()));
    for (const RankingPoint& point : points.points) {
        const Schedule schedule = rows_.ranked->schedule(point.row);
        const QString tip = QStringLiteral("%1\n%2: %3\n%4: %5")
                                .arg(QString::fromStdString(to_string(schedule)), plot.y_title,
                                     plot.y_text(point.y), plot.x_title, plot.x_text(point.x));
        plot.points.push_back({point.x, point.y,
                               static_cast<std::size_t>(schedule.patterns.at(input)), tip,
                               static_cast<int>(point.row)});
    }
    plot_->show_data(std::move(plot));
    plot_->select(std::vector<int>(selected_.begin(), selected_.end()));
    note_->setVisible(points.points.size() < points.all);
    note_->setText(tr("%1 of %2 points are drawn: the best-ranked at each place")
                       .arg(count_text(std::ssize(points.points)),
                            count_text(static_cast<std::int64_t>(points.all))));
    emit drawn();
}

} // namespace texelscope::gui
