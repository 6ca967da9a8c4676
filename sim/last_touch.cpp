#include "sim/last_touch.hpp"

#include "sim/options/options.hpp"
#include "sim/simulate.hpp"

namespace texelscope::sim {
namespace {

class LastTouchObserver : public SimulationObserver {
public:
    explicit LastTouchObserver(std::span<const Image> images)
    {
        for (const Image& image : images) {
            last.warps.push_back(
                {image.extent,
                 std::vector<std::int64_t>(static_cast<std::size_t>(image.extent.area()), 0)});
        }
        last.accesses = last.warps;
    }

    void on_access(int, std::int64_t group, std::int32_t warp, std::uint32_t,
                   std::int64_t access_index, std::span<const LaneRead> lanes) override
    {
        const std::int64_t code = WarpNumber{group, warp}.code();
        for (const LaneRead& read : lanes) {
            HeatMap& map = last.warps[read.image];
            const auto at = static_cast<std::size_t>(std::int64_t{read.texel.y} * map.extent.width +
                                                     read.texel.x);
            map.counts[at] = code;
            last.accesses[read.image].counts[at] = access_index;
        }
    }

    LastTouches last;
};

} // namespace

LastTouches last_touches(const TraceSource& source, const SimulationOptions& options,
                         const StopToken& stop)
{
    SimulationOptions untimed = options;
    untimed.mode.timed = false;
    LastTouchObserver observer(source.images());
    SimulationObserver* const observers[] = {&observer};
    (void)simulate(source, untimed, observers, stop);
    return std::move(observer.last);
}

} // namespace texelscope::sim
