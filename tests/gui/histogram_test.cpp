#include "gui/histogram_geometry.hpp"
#include "gui/histogram_view.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace texelscope;

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

} // namespace

TEST_CASE("bars stand on their axis, are as long as their counts, and do not overlap")
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const std::size_t images = 1 + seed % 3;
        const auto histograms = random_histograms(seed, images);
        const QRectF area(10, 20, 700, 400);
        const HistogramGeometry geometry = histogram_geometry(histograms, area, {});
        CAPTURE(seed, images);
        const std::size_t bins = histograms.front().bins.size();
        REQUIRE(geometry.bars.size() == 2 * images * bins);
        CHECK(area.contains(geometry.x_plot));
        CHECK(area.contains(geometry.y_plot));
        CHECK_FALSE(geometry.x_plot.intersects(geometry.y_plot));
        CHECK(geometry.x_plot.height() == Approx(geometry.y_plot.height()));
        double longest = 0;
        for (const HistogramBar& bar : geometry.bars) {
            const auto& bin = histograms[bar.image].bins[bar.bin];
            const QRectF& plot = bar.along_x ? geometry.x_plot : geometry.y_plot;
            CHECK(bar.count == (bar.along_x ? bin.x : bin.y));
            CHECK(bar.rect.bottom() == Approx(plot.bottom()));
            CHECK(bar.rect.height() * static_cast<double>(geometry.max) ==
                  Approx(plot.height() * static_cast<double>(bar.count)));
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
    const HistogramGeometry geometry = histogram_geometry({none}, {0, 0, 300, 200}, {});
    CHECK(geometry.max == 0);
    REQUIRE(geometry.bars.size() == 4);
    CHECK(geometry.bars[0].rect.height() == 0);
    CHECK(histogram_geometry({}, {0, 0, 300, 200}, {}).bars.empty());
}

TEST_CASE("a tool tip names image, count, shape and direction")
{
    HistogramView view;
    view.resize(600, 300);
    view.show_histograms(random_histograms(4, 2), {"A (row)", "B (column)"});
    for (const HistogramBar& bar : view.geometry_now().bars) {
        const QString tip = view.tip_at({bar.rect.center().x(), bar.rect.bottom() - 1});
        CHECK(tip.startsWith(bar.image == 0 ? "A (row)" : "B (column)"));
        CHECK(tip.contains(QString::number(bar.count) + " of 1,001"));
        CHECK(tip.endsWith(bar.along_x ? "along x" : "along y"));
    }
    CHECK(view.tip_at({1, 1}).isEmpty());
    CHECK_FALSE(view.grab().isNull());
}
