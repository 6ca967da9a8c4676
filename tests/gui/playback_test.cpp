#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/heat_map/playback_bar.hpp"
#include "gui/heat_map/playback_overlay.hpp"
#include "sim/memory/image_storage.hpp"
#include "tests/gui/small_study.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QLabel>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <list>
#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

std::shared_ptr<const StudyResult> study_with(const std::vector<std::string>& overrides,
                                              const std::string& shape)
{
    StudyForm form = test::small_form();
    form.shape = shape;
    form.overrides = overrides;
    form.rank = false;
    return std::make_shared<const StudyResult>(run_study(to_request(form)));
}

std::vector<StoredImage> stored_images(const StudyResult& study)
{
    std::vector<Image> images;
    for (const StudyImage& image : study.images) {
        images.push_back(image.image);
    }
    return store_images(images, study.options);
}

std::shared_ptr<const AccessRecording> record(const std::shared_ptr<const StudyResult>& study,
                                              std::size_t limit = 10'000'000)
{
    return std::make_shared<const AccessRecording>(record_accesses(*study, limit));
}

/// The plainest LRU cache there is: for each set a list of lines, most recent first.
class NaiveLru {
public:
    explicit NaiveLru(const CacheGeometry& geometry) : geometry_(geometry) {}

    void read(std::int64_t address)
    {
        const std::int64_t line = address / geometry_.line.value;
        std::list<std::int64_t>& set = sets_[line % geometry_.sets()];
        set.remove(line);
        set.push_front(line);
        if (static_cast<int>(set.size()) > geometry_.ways_per_set()) {
            set.pop_back();
        }
    }
    [[nodiscard]] std::set<std::int64_t> addresses() const
    {
        std::set<std::int64_t> all;
        for (const auto& [number, set] : sets_) {
            for (const std::int64_t line : set) {
                all.insert(line * geometry_.line.value);
            }
        }
        return all;
    }

private:
    CacheGeometry geometry_;
    std::map<std::int64_t, std::list<std::int64_t>> sets_;
};

std::set<std::int64_t> addresses(const std::vector<HeldLine>& held)
{
    std::set<std::int64_t> all;
    for (const HeldLine& line : held) {
        CHECK(all.insert(line.address).second);
    }
    return all;
}

/// A panel with playback open on the small study.
struct PlaybackFixture {
    HeatMapPanel panel;
    PlaybackBar& bar = panel.playback();

    PlaybackFixture()
    {
        panel.resize(800, 600);
        panel.show();
        panel.show_study(test::small_study());
    }
    void open()
    {
        panel.findChild<QToolButton*>("playback")->click();
        REQUIRE(test::wait_until([&] { return bar.count() > 0; }));
    }
    [[nodiscard]] std::string label()
    {
        return bar.findChild<QLabel*>("playback_label")->text().toStdString();
    }
};

} // namespace

TEST_CASE("what the L1 holds after each access is what a plain LRU cache holds")
{
    const auto overrides =
        GENERATE(std::vector<std::string>{}, std::vector<std::string>{"l1.ways=2", "cores=2"},
                 std::vector<std::string>{"l1.capacity=8192", "l1.ways=4", "cores=1"});
    const auto study = study_with(overrides, "64,64,64");
    const auto recording = record(study);
    const auto stored = stored_images(*study);
    REQUIRE(study->options.machine.l1().geometry.replacement == ReplacementKind::lru);
    REQUIRE(study->options.machine.l1().geometry.index == SetIndex::modulo);
    REQUIRE(recording->size() > 100);
    std::vector<NaiveLru> caches(static_cast<std::size_t>(study->options.machine.cores),
                                 NaiveLru(study->options.machine.l1().geometry));
    std::int64_t misses = 0;
    for (std::size_t k = 0; k < recording->size(); ++k) {
        const RecordedAccess& access = recording->access(k);
        const StoredImage& image = stored[access.image];
        std::vector<std::int64_t> lines; // distinct, in the order of the lanes
        for (const Texel texel : recording->lanes(k)) {
            const std::int64_t line =
                image.address(texel) / study->options.machine.l1().geometry.line.value;
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
                lines.push_back(line);
            }
        }
        CHECK(lines.size() == access.lookups);
        NaiveLru& cache = caches[access.core];
        for (const std::int64_t line : lines) {
            cache.read(line * study->options.machine.l1().geometry.line.value);
        }
        misses += access.misses;
        REQUIRE(addresses(recording->held(k)) == cache.addresses());
    }
    CHECK(misses == study->simulation.l1.misses());
}

TEST_CASE("with sectors, a line that gives way takes all of its sectors along")
{
    const auto study = study_with({"l1.sector=32", "l1.line=64"}, "32,32,32");
    const auto recording = record(study);
    const std::int64_t lines = study->options.machine.l1().geometry.lines();
    for (std::size_t k = 0; k < recording->size(); ++k) {
        std::set<std::int64_t> held;
        for (const std::int64_t address : addresses(recording->held(k))) {
            CHECK(address % 32 == 0);
            held.insert(address / 64);
        }
        REQUIRE(static_cast<std::int64_t>(held.size()) <= lines);
    }
}

TEST_CASE("the recorded lanes are the reads of the heat map")
{
    const auto study = test::small_study();
    const auto recording = record(study);
    std::vector<HeatMap> reads;
    for (const StudyImage& image : study->images) {
        reads.push_back(image.map(HeatQuantity::reads));
    }
    for (std::size_t k = 0; k < recording->size(); ++k) {
        for (const Texel texel : recording->lanes(k)) {
            HeatMap& map = reads[recording->access(k).image];
            --map.counts[static_cast<std::size_t>(texel.y * map.extent.width + texel.x)];
        }
    }
    for (const HeatMap& map : reads) {
        CHECK(std::all_of(map.counts.begin(), map.counts.end(),
                          [](std::int64_t count) { return count == 0; }));
    }
}

TEST_CASE("a recording ends at its limit, and is right up to there")
{
    const auto study = test::small_study();
    const auto whole = record(study);
    const auto cut = record(study, 40);
    CHECK_FALSE(whole->full());
    CHECK(cut->full());
    REQUIRE(cut->size() > 0);
    REQUIRE(cut->size() < whole->size());
    for (std::size_t k = 0; k < cut->size(); ++k) {
        CHECK(cut->lanes(k) == whole->lanes(k));
        CHECK(cut->held(k) == whole->held(k));
    }
}

TEST_CASE("a recording stops where it is told to, unless it is full")
{
    const auto study = test::small_study();
    CHECK_THROWS_AS(record_accesses(*study, 1'000'000, {}, [] { return true; }), Interrupted);
    int asked = 0;
    const auto soon = [&] { return ++asked > 1'000'000; }; // full long before
    CHECK(record_accesses(*study, 10, {}, soon).full());
}

TEST_CASE("a recording that is cancelled does not come, and Space begins another")
{
    HeatMapPanel panel;
    panel.show();
    panel.show_study(test::small_study());
    auto& bar = panel.playback();
    panel.findChild<QToolButton*>("playback")->click();
    REQUIRE(bar.recording_now());
    bar.cancel();
    CHECK_FALSE(bar.recording_now());
    auto* label = bar.findChild<QLabel*>("playback_label");
    REQUIRE(test::wait_until([&] { return label->text().startsWith("Cancelled."); }));
    CHECK(bar.count() == 0);
    QTest::keyClick(&panel.view(), Qt::Key_Space);
    REQUIRE(test::wait_until([&] { return bar.count() > 0; }));
}

TEST_CASE("playback goes through the accesses by slider, buttons and keys")
{
    PlaybackFixture f;
    CHECK(f.bar.count() == 0); // nothing is recorded before it is opened
    QSignalSpy frames(&f.bar, &PlaybackBar::frame_changed);
    f.open();
    const auto last = f.bar.count() - 1;
    const auto frame = [&] { return frames.last().at(0).value<std::optional<PlaybackFrame>>(); };
    REQUIRE(frame());
    CHECK(f.label().starts_with("access 1 of "));
    QTest::keyClick(&f.panel.view(), Qt::Key_Period);
    QTest::keyClick(&f.panel.view(), Qt::Key_Period);
    QTest::keyClick(&f.panel.view(), Qt::Key_Comma);
    CHECK(f.bar.number() == 1);
    const RecordedAccess& access = f.bar.recording()->access(1);
    CHECK(f.label().find("access 2 of " + std::to_string(last + 1) + ": group " +
                         std::to_string(access.group) + ", warp " + std::to_string(access.warp) +
                         ", step " + std::to_string(access.step)) == 0);
    CHECK(frame()->lanes == f.bar.recording()->lanes(1));
    CHECK(frame()->held == f.bar.recording()->held(1));
    f.bar.findChild<QToolButton*>("playback_last")->click();
    CHECK(f.bar.number() == last);
    f.bar.findChild<QToolButton*>("playback_next")->click();
    CHECK(f.bar.number() == last);
    f.bar.findChild<QToolButton*>("playback_previous")->click();
    CHECK(f.bar.number() == last - 1);
    f.bar.findChild<QSlider*>("playback_slider")->setValue(3);
    CHECK(frame()->lanes == f.bar.recording()->lanes(3));
    f.bar.findChild<QToolButton*>("playback_first")->click();
    CHECK(f.bar.number() == 0);

    QTest::keyClick(&f.panel.view(), Qt::Key_Space);
    CHECK(f.bar.playing());
    REQUIRE(test::wait_until([&] { return f.bar.number() > 1; }));
    QTest::keyClick(&f.panel.view(), Qt::Key_Space);
    CHECK_FALSE(f.bar.playing());

    f.panel.findChild<QToolButton*>("playback")->click(); // closed: nothing is left on the heat map
    CHECK_FALSE(frame());
}

TEST_CASE("Space opens playback and plays as soon as there is something to play, to the end")
{
    PlaybackFixture f;
    QTest::keyClick(&f.panel.view(), Qt::Key_Space);
    REQUIRE(test::wait_until([&] { return f.bar.playing(); }));
    f.bar.go_to(f.bar.count() - 3);
    REQUIRE(test::wait_until([&] { return !f.bar.playing(); }));
    CHECK(f.bar.number() == f.bar.count() - 1);
}

TEST_CASE("the label says where another image is read, and where the launch was cut")
{
    PlaybackFixture f;
    f.bar.set_limit(60);
    f.open();
    CHECK(f.label().find("of the first ") != std::string::npos);
    CHECK(f.label().find(" in the launch)") != std::string::npos);
    for (std::size_t image = 0; image < 2; ++image) {
        f.bar.show_image(image);
        const bool other = f.bar.recording()->access(0).image != image;
        CHECK((f.label().find("not the image shown") != std::string::npos) == other);
    }
}

TEST_CASE("a texel is held where all of its bytes are")
{
    const auto stored = stored_images(*test::small_study());
    const std::int64_t first = stored[0].address({1, 0});
    const auto held = [&](std::int64_t granule, const std::vector<std::int64_t>& at) {
        std::vector<HeldLine> lines;
        for (const std::int64_t address : at) {
            lines.push_back({address, {}});
        }
        return is_held({stored[0], 0, Bytes{granule}}, lines, {1, 0});
    };
    CHECK(held(64, {first / 64 * 64}));
    CHECK_FALSE(held(64, {first / 64 * 64 + 64}));
    CHECK_FALSE(held(64, {}));
    CHECK(held(4, {first, first + 4, first + 8, first + 12}));
    CHECK_FALSE(held(4, {first, first + 4, first + 12}));
}

TEST_CASE("the texels that the lanes read and the lines that are held are drawn, at every zoom")
{
    PlaybackFixture f;
    f.open();
    HeatMapView& view = f.panel.view();
    const auto count = f.bar.count();
    std::int64_t k = 0;
    while (k < count && f.bar.recording()->access(static_cast<std::size_t>(k)).image != 0) {
        ++k;
    }
    f.bar.go_to(k);
    const QImage with = view.grab().toImage();
    view.set_playback(std::nullopt);
    const QImage without = view.grab().toImage();
    for (const Texel lane : f.bar.recording()->lanes(static_cast<std::size_t>(k))) {
        const QRect texel(view.viewport().to_widget(QPointF(lane.x, lane.y)).toPoint(),
                          QSizeF(view.viewport().scale, view.viewport().scale).toSize());
        CHECK(with.copy(texel) != without.copy(texel));
    }
    f.bar.show_image(0); // draws it again
    constexpr int as_small_as_it_gets = 40;
    for (int i = 0; i < as_small_as_it_gets; ++i) {
        QTest::keyClick(&view, Qt::Key_Minus);
    }
    CHECK_FALSE(view.grab().isNull());
}
