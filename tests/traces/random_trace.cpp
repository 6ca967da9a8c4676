#include "tests/traces/random_trace.hpp"

#include "traces/native/trace_writer.hpp"

#include <limits>

namespace texelscope::test {
using namespace traces;

Recording random_recording(Random& random)
{
    Recording made;
    TracedLaunch& launch = made.launch;
    launch.kernel = "kernel" + std::to_string(random.small(0, 99));
    launch.local = {random.small(1, 9), random.small(1, 3), 1};
    launch.global = {launch.local[0] * random.small(1, 6), launch.local[1] * random.small(1, 3), 1};
    launch.offset = {random.small(0, 1) * 64, 0, 0};
    const int images = random.small(1, 3);
    for (int i = 0; i < images; ++i) {
        const bool layers = i > 0 && random.one_in(3);
        launch.images.push_back({"I" + std::to_string(i), random.small(1, 40), random.small(1, 40),
                                 layers ? random.small(2, 5) : 1,
                                 random.one_in(2) ? "RGBA/float" : "", 4 << random.small(0, 2),
                                 random.one_in(4) ? -1 : i,
                                 random.one_in(2) ? AddressMode::edge : AddressMode::border});
    }
    launch.buffers.push_back({"b\xc3\xa4r", random.between(1, std::int64_t{1} << 40), 7});
    const std::int64_t groups =
        launch.global[0] / launch.local[0] * (launch.global[1] / launch.local[1]);
    const auto size = static_cast<std::int32_t>(launch.local[0] * launch.local[1]);
    const int steps = random.small(0, 30);
    const bool with_others = random.one_in(2);
    for (std::int64_t group = 0; group < groups; ++group) {
        std::vector<TracedItem> items;
        for (std::int32_t item = 0; item < size; ++item) {
            TracedItem did{item, {}};
            const int own = random.one_in(4) ? random.small(0, steps) : steps;
            for (int step = 0; step < own; ++step) {
                TracedAccess access;
                access.object = static_cast<std::uint16_t>(step % images);
                if (random.one_in(6)) { // out of line
                    access.object = static_cast<std::uint16_t>(random.small(0, images - 1));
                    access.x = static_cast<std::int32_t>(
                        random.between(std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max()));
                    access.y = random.small(-5, 50);
                } else {
                    access.x = step - 2;
                    access.y = static_cast<std::int32_t>(group) * 3 + item;
                }
                access.z = launch.images[access.object].depth > 1 ? random.small(-1, 5) : 0;
                if (with_others && random.one_in(3)) {
                    access.kind =
                        random.one_in(2) ? AccessKind::image_write : AccessKind::buffer_read;
                    if (access.kind == AccessKind::buffer_read) {
                        access = {random.one_in(2) ? AccessKind::buffer_read
                                                   : AccessKind::buffer_write,
                                  0,
                                  0,
                                  0,
                                  0,
                                  4 << random.small(0, 2),
                                  random.one_in(9) ? random.between(0, std::int64_t{1} << 40)
                                                   : step * 4 + item * 16};
                    }
                }
                did.accesses.push_back(access);
            }
            if (!did.accesses.empty()) {
                items.push_back(std::move(did));
            }
        }
        if (!items.empty() && !random.one_in(8)) {
            made.groups.emplace_back(group, std::move(items));
        }
    }
    return made;
}

void write_recordings(const std::string& path, const std::vector<Recording>& launches,
                      Random* shuffle)
{
    TraceWriter writer(path, "made at random");
    for (Recording launch : launches) {
        writer.begin_launch(launch.launch);
        for (auto& [group, items] : launch.groups) {
            if (shuffle != nullptr) {
                shuffle->shuffle(items);
            }
            writer.add_group(group, items);
        }
        writer.end_launch();
    }
    writer.finish();
}

} // namespace texelscope::test
