#include "gui/ranking/simulated_times.hpp"

#include "base/error.hpp"
#include "experiments/tuning/judges.hpp"

#include <fmt/format.h>

namespace texelscope::gui {

SimulatedCount simulate_times(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                              const std::vector<std::int64_t>& indices, TimeInbox& inbox, const Progress& progress,
                              const StopToken& stop)
{
    const Judging judging = simulator_judging(device, most_simulated_accesses, {}, stop);
    SimulatedCount count;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (progress) {
            progress(fmt::format("simulating {} of {}", i + 1, indices.size()),
                     static_cast<double>(i) / static_cast<double>(indices.size()));
        }
        try {
            if (stop && stop()) {
                throw Interrupted{};
            }
            const Schedule schedule = space.at(indices[i]);
            inbox.put(indices[i], judging.answer(op, schedule, judging.legal_nest(op, schedule)).median_ns());
            ++count.done;
        } catch (const Interrupted&) {
            count.stopped = true;
            break;
        } catch (const Error& error) { // the others may still be simulated
            count.error = count.error.empty() ? error.what() : count.error;
        }
    }
    return count;
}

} // namespace texelscope::gui
