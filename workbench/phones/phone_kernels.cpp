#include "workbench/phones/phone_kernels.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/kernels/nest_job.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/prediction.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace texelscope::workbench::phones {
namespace {

/// Shapes that take a phone some milliseconds: long beside a launch, short enough for many.
constexpr std::array<std::pair<const char*, const char*>, 7> shapes{
    {{"matmul", "256,256,256"},
     {"conv2d", "1,28,28,64,64,3,3,1"},
     {"deconv2d", "1,14,14,64,32,3,3,2"},
     {"conv3d", "1,8,16,16,16,16,3,3,3,1"},
     {"dwconv2d", "1,56,56,64,3,3,1"},
     {"softmax", "512,512"},
     {"layernorm", "384,640"}}};

/// The model's order of `count` kernels, drawn, with all of their work-groups. Of all kernels it
/// would take half a minute, while a phone waits.
Ranking ranked(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
               std::size_t count, std::mt19937_64& random)
{
    const Calibration none; // of which the variant takes nothing
    const ModelCosts costs(op, device, space, none, ModelVariant::bottleneck);
    std::vector<std::size_t> kernels = shuffled_indices(random, space.kernel_count());
    kernels.resize(std::min(kernels.size(), count));
    ModelCosts::Costs all;
    for (const std::size_t kernel : kernels) {
        all += costs.of_kernel(kernel);
    }
    return ranking_of(space, std::move(all), 0);
}

/// Whether the device runs it, as far as its limits tell.
bool fits(const Operator& op, const Schedule& schedule, const DeviceProfile& profile,
          const OpenClDeviceInfo& device)
{
    try {
        const LoopNest nest = loop_nest(op, schedule);
        check_limits(nest, profile);
        return !beyond_limits(device, nest);
    } catch (const Error&) {
        return false; // illegal with its tensors in buffers, or beyond a limit
    }
}

} // namespace

std::vector<PhoneKernel> phone_kernels(const DeviceProfile& profile, const OpenClDeviceInfo& device,
                                       std::size_t count, std::uint64_t seed)
{
    DeviceProfile limited = profile;
    if (device.max_work_group > 0) {
        limited.limits.work_group_size =
            std::min(limited.limits.work_group_size, device.max_work_group);
    }
    std::mt19937_64 random(seed);
    std::vector<PhoneKernel> kernels;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
        const std::size_t wanted = count / shapes.size() + (s < count % shapes.size() ? 1 : 0);
        const Operator op = parse_operator(shapes[s].first, shapes[s].second);
        const ConfigurationSpace space = configuration_space(op, limited);
        const Ranking ranking = ranked(op, limited, space, 200 + 4 * wanted, random);
        CrosscheckOptions drawn;
        drawn.samples = 2 * wanted; // some do not fit
        drawn.seed = seed;
        const std::vector<Schedule> sample = crosscheck_sample(space, ranking, drawn);
        // From both halves in turn, and the pairs in images and in buffers, in turn.
        std::size_t taken = 0;
        for (std::size_t i = 0; i < sample.size() && taken < wanted; ++i) {
            const std::size_t half = sample.size() / 2;
            Schedule schedule = sample[i % 2 == 0 ? i / 2 : half + i / 2];
            if ((i / 2 + s) % 2 == 1) {
                schedule.memory.assign(op.inputs.size() + 1, Memory::buffer);
            }
            if (fits(op, schedule, limited, device)) {
                kernels.push_back({op, std::move(schedule)});
                ++taken;
            }
        }
    }
    return kernels;
}

} // namespace texelscope::workbench::phones
