#include "gui/plots/histogram_geometry.hpp"
#include "gui/plots/histogram_view.hpp"

#include <catch2/catch.hpp>

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
            histogram.bins.push_back(
                {shape, static_cast<std::int64_t>(random() % 1000), static_cast<std::int64_t>(random() % 1000)});
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
        const QRectF area(10, 20, 700, 400);
        const HistogramGeometry geometry = histogram_geometry(series, HistogramValue::strides, area, {});
        CAPTURE(seed, images);
        const std::size_t bins = series.front().histogram.bins.size();
        REQUIRE(geometry.bars.size() == 2 * images * bins);
        CHECK(area.contains(geometry.x_plot));
        CHECK(area.contains(geometry.y_plot));
        CHECK_FALSE(geometry.x_plot.intersects(geometry.y_plot));
        CHECK(geometry.x_plot.height() == Approx(geometry.y_plot.height()));
        double longest = 0;
        for (const HistogramBar& bar : geometry.bars) {
            const auto& bin = series[bar.series].histogram.bins[bar.bin];
            const QRectF& plot = bar.along_x ? geometry.x_plot : geometry.y_plot;
            CHECK(bar.value == static_cast<double>(bar.along_x ? bin.x : bin.y));
            CHECK(bar.rect.bottom() == Approx(plot.bottom()));
            CHECK(bar.rect.height() * geometry.max == Approx(plot.height() * bar.value));
            // Inside of its block shape's slot.
            const double slot = plot.width() / static_cast<double>(bins);
            CHECK(bar.rect.left() >= plot.left() + slot * static_cast<double>(bar.bin) - 1e-9);
            CHECK(bar.rect.right() <= plot.left() + slot * static_cast<double>(bar.bin + 1) + 1e-9);
            longest = std::max(longest, bar.rect.height());
        }
        CHECK(longest == Approx(geometry.x_plot.height()));
        for (std::size_t i = 0; i < geometry.bars.size(); ++i) {
            for (std::size_t j = i + 1; j < geometry.bars.size(); ++j) {
                const QRectF common = geometry.bars[i].rect.intersected(geometry.bars[j].rect);
                CHECK(common.width() * common.height() < 1e-6);
            }
        }
    }
}

TEST_CASE("histograms without strides have bars without length")
{
    CrossBlockHistogram none;
    none.bins = {{{1, 1}, 0, 0}, {{2, 2}, 0, 0}};
    const HistogramGeometry geometry =
        histogram_geometry({{"A", none, {}}}, HistogramValue::strides, {0, 0, 300, 200}, {});
    CHECK(geometry.max == 0);
    REQUIRE(geometry.bars.size() == 4);
    CHECK(geometry.bars[0].rect.height() == 0);
    CHECK(histogram_geometry({}, HistogramValue::strides, {0, 0, 300, 200}, {}).bars.empty());
}

TEST_CASE("a tool tip names image, count, shape and direction")
{
    HistogramView view;
    view.resize(600, 300);
    view.show_series(random_series(4, 2));
    for (const HistogramBar& bar : view.geometry_now().bars) {
        const QString tip = view.tip_at({bar.rect.center().x(), bar.rect.bottom() - 1});
        CHECK(tip.startsWith(bar.series == 0 ? "A (row)" : "B (column)"));
        CHECK(tip.contains(QString::number(bar.value) + " of 1,001"));
        CHECK(tip.endsWith(bar.along_x ? "along x" : "along y"));
    }
    CHECK(view.tip_at({1, 1}).isEmpty());
    CHECK_FALSE(view.grab().isNull());
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
        sum += bar_value(series, bin, true, HistogramValue::time) + bar_value(series, bin, false, HistogramValue::time);
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
