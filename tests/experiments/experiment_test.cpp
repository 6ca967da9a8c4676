#include "experiments/experiment.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;

TEST_CASE("The plots of the experiments clip nothing")
{
    DeviceProfile device = find_profile("adreno-740");
    device.simulation.machine.l2().geometry.capacity = Bytes{8192};
    for (const char* name :
         {"fig4", "fig5", "romou-pruning", "romou-fig5", "romou-fig6", "romou-fig7"}) { // the others take up to minutes
        CAPTURE(name);
        test::check_nothing_clipped(find_experiment(name).run(device, {}, {}).plot);
    }
}
