#include "base/error.hpp"
#include "gui/plots/histogram_panel.hpp"
#include "gui/plots/plot_canvas.hpp"

#include <catch2/catch.hpp>

#include <QRectF>
#include <algorithm>
#include <random>

using namespace texelscope::gui;

namespace {

std::vector<CrossBlockHistogram> random_histograms(std::uint64_t seed, std::size_t images)
{
    std::mt19937_64 random(seed);
    std::vector<CrossBlockHistogram> histograms(images);
    for (CrossBlockHistogram& histogram : histograms) {
        histogram.accesses = 1001;
        for (const Extent2D shape : default_block_shapes()) {
            histogram.bins.push_back({shape, static_cast<std::int64_t>(random() % 1000),
                                      static_cast<std::int64_t>(random() % 1000)});
        }
    }
    return histograms;
}

std::vector<HistogramSeries> random_series(std::uint64_t seed, std::size_t images)
{
    std::vector<HistogramSeries> series;
    for (CrossBlockHistogram& histogram : random_histograms(seed, images)) {
        series.push_back({series.empty() ? "A (row)" : "B (column)", std::move(histogram), {}});
    }
    return series;
}

} // namespace

TEST_CASE("bars stand on their axis, are as long as their counts, and do not overlap")
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const std::size_t images = 1 + seed % 3;
        const auto series = random_series(seed, images);
        PanelPlot plot = histogram_plot(series, HistogramValue::strides);
        plot.columns = 1;
        const PlacedPlot shown = placed(fitted(plot, 700, 400));
        CAPTURE(seed, images);
        const std::size_t bins = series.front().histogram.bins.size();
        REQUIRE(shown.bars.size() == 2 * images * bins);
        REQUIRE(shown.areas.size() == 2);
        CHECK(shown.areas[0].corner.y + shown.areas[0].height < shown.areas[1].corner.y);
        CHECK(shown.areas[0].height == Approx(shown.areas[1].height));
        for (const PlacedBar& bar : shown.bars) {
            const auto& bin = series[bar.series].histogram.bins[bar.number];
            const DrawnBox& area = shown.areas[bar.panel];
            const auto count = static_cast<double>(bar.panel == 0 ? bin.x : bin.y);
            CHECK(bar.box.corner.y + bar.box.height == Approx(area.corner.y + area.height));
            CHECK(bar.box.height == Approx(area.height * shown.left.place(count)));
            CHECK(shown.left.place(count) * shown.left.high == Approx(count)); // from zero, linear
            // Inside of its block shape's slot.
            const double slot = area.width / static_cast<double>(bins);
            const double left = bar.box.corner.x - area.corner.x;
            CHECK(left >= slot * static_cast<double>(bar.number) - 0.5 * slot);
            CHECK(left + bar.box.width <= slot * static_cast<double>(bar.number + 1) + 0.5 * slot);
        }
        for (std::size_t i = 0; i < shown.bars.size(); ++i) {
            for (std::size_t j = i + 1; j < shown.bars.size(); ++j) {
                const auto rect = [&](std::size_t k) {
                    const DrawnBox& box = shown.bars[k].box;
                    return QRectF(box.corner.x, box.corner.y, box.width, box.height);
                };
                const QRectF common = rect(i).intersected(rect(j));
                CHECK(common.width() * common.height() < 1e-6);
            }
        }
    }
}

TEST_CASE("histograms without strides have bars without length")
{
    CrossBlockHistogram none;
    none.bins = {{{1, 1}, 0, 0}, {{2, 2}, 0, 0}};
    const PlacedPlot shown = placed(histogram_plot({{"A", none, {}}}, HistogramValue::strides));
    REQUIRE(shown.bars.size() == 4);
    CHECK(shown.bars[0].box.height == 0);
    CHECK_THROWS_AS(histogram_plot({}, HistogramValue::strides), Error);
}

TEST_CASE("a tool tip names image, count, shape and direction")
{
    const auto series = random_series(4, 2);
    PlotCanvas canvas;
    canvas.resize(600, 300);
    canvas.show_plot(histogram_plot(series, HistogramValue::strides));
    const PlacedPlot& shown = canvas.shown().placed;
    REQUIRE_FALSE(shown.bars.empty());
    for (const PlacedBar& bar : shown.bars) {
        // The whole height of the panel counts: short bars are hard to meet.
        const QPointF above = canvas.to_widget(
            {bar.box.corner.x + bar.box.width / 2, shown.areas[bar.panel].corner.y + 1});
        const QString tip = canvas.tip_at(above);
        const auto& bin = series[bar.series].histogram.bins[bar.number];
        CHECK(tip.startsWith(bar.series == 0 ? "A (row)" : "B (column)"));
        CHECK(tip.contains(QString::number(bar.panel == 0 ? bin.x : bin.y) + " of 1,001"));
        CHECK(tip.endsWith(bar.panel == 0 ? "along x" : "along y"));
    }
    CHECK(canvas.tip_at({1, 1}).isEmpty());
    CHECK_FALSE(canvas.grab().isNull());
}

TEST_CASE("with weights the bars are what the strides cost, and add up to the model's prediction")
{
    std::mt19937_64 random(3);
    const CrossBlockHistogram histogram = random_histograms(9, 1).front();
    LinearModel model;
    model.shapes = default_block_shapes();
    for (std::size_t i = 0; i <= 2 * model.shapes.size(); ++i) {
        model.beta.push_back(static_cast<double>(random() % 1000) / 100 - 2);
    }
    const HistogramSeries series{"A", histogram, weights_for(histogram, model)};
    double sum = model.beta.back() * static_cast<double>(histogram.accesses);
    for (std::size_t bin = 0; bin < histogram.bins.size(); ++bin) {
        sum += bar_value(series, bin, true, HistogramValue::time) +
               bar_value(series, bin, false, HistogramValue::time);
    }
    CHECK(sum == Approx(model.predict(histogram).value));
    CHECK(about_bar(series, 0, true).contains("each by the calibrated regression"));
    const PanelPlot plot = histogram_plot({series, series}, HistogramValue::time);
    REQUIRE(plot.panels.size() == 2);
    CHECK(plot.panels[0].bars[1].points[3].y == bar_value(series, 3, true, HistogramValue::time));
    CHECK(plot.panels[1].bars[0].points[3].y == bar_value(series, 3, false, HistogramValue::time));
    model.shapes.pop_back();
    CHECK(weights_for(histogram, model).empty());
    CHECK_THROWS(histogram_plot({}, HistogramValue::time));
}
