#include "base/error.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/start/gallery.hpp"
#include "gui/start/gallery_card.hpp"
#include "gui/start/gallery_picture.hpp"
#include "gui/start/shipped_file.hpp"
#include "gui/start/start_page.hpp"
#include "gui/study/trace_strip.hpp"
#include "gui/tour/tour.hpp"
#include "model/walks/walk_file.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/traces/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

double share(std::int64_t part, std::int64_t whole)
{
    return static_cast<double>(part) / static_cast<double>(whole);
}

const HeatMap& reads(const LaunchResult& launch, std::size_t image)
{
    return launch.images[image].map(HeatQuantity::reads);
}

/// How often each texel of an image is read that is read at all; 0 where they differ.
std::int64_t reads_of_each(const LaunchResult& launch, std::size_t image)
{
    std::set<std::int64_t> counts(reads(launch, image).counts.begin(), reads(launch, image).counts.end());
    counts.erase(0);
    return counts.size() == 1 ? *counts.begin() : 0;
}

std::int64_t texel_reads(const LaunchResult& launch)
{
    std::int64_t sum = launch.simulation.border_reads;
    for (std::size_t i = 0; i < launch.images.size(); ++i) {
        sum += reads(launch, i).total();
    }
    return sum;
}

StudyResult run(StudyForm form)
{
    form.rank = false;
    return run_study(to_request(form));
}

TraceResult run(const GalleryTrace& trace)
{
    return run_trace({shipped_file(trace.file), trace.launch, find_profile(trace.device)});
}

const GalleryEntry& entry(const char* title)
{
    static const std::vector<GalleryEntry> all = gallery();
    for (const GalleryEntry& each : all) {
        if (each.title == title) {
            return each;
        }
    }
    FAIL("there is no entry " << title);
    return all.front();
}

/// What each entry says of itself, of its numbers.
const std::map<std::string, std::function<void(const GalleryEntry&)>>& claims()
{
    const auto of_study = [](const std::function<void(const StudyResult&)>& check) {
        return [check](const GalleryEntry& e) { check(run(std::get<StudyForm>(e.opens))); };
    };
    static const std::map<std::string, std::function<void(const GalleryEntry&)>> all{
        {"Matrix product", of_study([](const StudyResult& s) {
             CHECK(reads_of_each(s, 0) == 16);
             CHECK(reads_of_each(s, 1) == 16);
             CHECK(s.simulation.l1.hits == 0);
             CHECK(s.options.l1.capacity == Bytes{1024});
         })},
        {"Convolution", of_study([](const StudyResult& s) {
             CHECK(reads(s, 0).total() > 50 * reads(s, 0).extent.area());
             CHECK(2 * s.simulation.l1.capacity > s.simulation.l1.misses());
         })},
        {"Depthwise convolution",
         of_study([](const StudyResult& s) { CHECK(share(s.simulation.l1.misses(), s.simulation.l1.lookups) > 0.9); })},
        {"Transposed convolution", of_study([](const StudyResult& s) {
             const double outside = share(s.simulation.border_reads, texel_reads(s));
             CHECK(outside > 0.18);
             CHECK(outside < 0.27);
             CHECK(reads(s, 0).total() + reads(s, 1).total() ==
                   texel_reads(s) - s.simulation.border_reads);
         })},
        {"3D convolution", of_study([](const StudyResult& s) {
             CHECK(share(s.simulation.l1.hits, s.simulation.l1.lookups) == Approx(0.6).margin(0.05));
         })},
        {"Softmax", of_study([](const StudyResult& s) {
             CHECK(reads_of_each(s, 0) == 3);
             CHECK(s.simulation.l1.hits == 0);
         })},
        {"Layer normalisation", of_study([](const StudyResult& s) {
             CHECK(reads_of_each(s, 0) == 3);
             CHECK(s.simulation.l1.hits == 0);
             REQUIRE(s.images.size() == 3);
             CHECK(reads_of_each(s, 1) == 64);
             CHECK(reads_of_each(s, 2) == 64);
         })},
    };
    return all;
}

} // namespace

TEST_CASE("print the gallery", "[.]")
{
    CHECK(entry("Softmax").title == "Softmax");
    CHECK_FALSE(claims().empty());
    for (const GalleryEntry& e : gallery()) {
        const auto print = [&](const LaunchResult& l) {
            WARN(e.title.toStdString() << " lookups " << l.simulation.l1.lookups << " hits " << l.simulation.l1.hits
                 << " comp " << l.simulation.l1.compulsory << " cap " << l.simulation.l1.capacity << " conf "
                 << l.simulation.l1.conflict << " border " << l.simulation.border_reads << " of "
                 << texel_reads(l));
            for (std::size_t i = 0; i < l.images.size(); ++i) {
                WARN(l.images[i].image.name << " " << l.images[i].image.extent.width << "x"
                     << l.images[i].image.extent.height << " reads max " << reads(l, i).max() << " total " << reads(l, i).total() << " each "
                     << reads_of_each(l, i));
            }
        };
        if (const auto* f = std::get_if<StudyForm>(&e.opens)) {
            print(run(*f));
        } else if (const auto* t = std::get_if<GalleryTrace>(&e.opens)) {
            print(run(*t));
        }
    }
}
