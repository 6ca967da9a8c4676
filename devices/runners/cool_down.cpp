#include "devices/runners/cool_down.hpp"

#include "devices/jobs/conditions.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace texelscope::devices {

void rest(const CoolDown& cool_down, const std::string& sysfs,
          const std::function<void(double seconds)>& alive)
{
    const auto nap = [&](double seconds) {
        if (alive) {
            // One second more than the nap, so that whoever waits for a sign of life is not late.
            alive(seconds + 1);
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    };
    if (cool_down.seconds > 0) {
        nap(cool_down.seconds);
    }
    if (!cool_down.max_millidegrees) {
        return;
    }
    constexpr double step = 1;
    for (double waited = 0; waited < cool_down.longest_seconds; waited += step) {
        const Conditions now = read_conditions(sysfs);
        if (!now.millidegrees || *now.millidegrees <= *cool_down.max_millidegrees) {
            return;
        }
        nap(std::min(step, cool_down.longest_seconds - waited));
    }
}

} // namespace texelscope::devices
