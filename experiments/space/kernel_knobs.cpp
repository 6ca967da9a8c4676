#include "experiments/space/kernel_knobs.hpp"

#include <map>
#include <string>

namespace texelscope::experiments {
namespace {

/// Number of a list of names among those that were met so far.
class Numbering {
public:
    std::int64_t of(const std::vector<std::string>& names)
    {
        return numbers_.try_emplace(names, std::ssize(numbers_)).first->second;
    }

private:
    std::map<std::vector<std::string>, std::int64_t> numbers_;
};

std::vector<std::int64_t> knob_values(const KernelChoice& kernel, Numbering& unrolls)
{
    std::vector<std::int64_t> values;
    for (const AccessPattern pattern : kernel.patterns) {
        values.push_back(static_cast<std::int64_t>(pattern));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        values.push_back(axis < kernel.tile.size() ? kernel.tile[axis] : 1);
    }
    std::int64_t in_buffers = 0; // a bit for each tensor
    for (std::size_t tensor = 0; tensor < kernel.memory.size(); ++tensor) {
        in_buffers |= std::int64_t{kernel.memory[tensor] == Memory::buffer} << tensor;
    }
    values.insert(values.end(), {unrolls.of(kernel.unroll), kernel.split, in_buffers,
                                 static_cast<std::int64_t>(kernel.storage), kernel.splat, kernel.stage});
    return values;
}

} // namespace

std::vector<std::vector<std::int64_t>> kernel_knobs(const ConfigurationSpace& space)
{
    Numbering unrolls;
    std::vector<std::vector<std::int64_t>> knobs;
    knobs.reserve(space.kernels().size());
    for (const KernelChoice& kernel : space.kernels()) {
        knobs.push_back(knob_values(kernel, unrolls));
    }
    return knobs;
}

std::size_t first_tile_knob(const ConfigurationSpace& space)
{
    return space.kernels().empty() ? 0 : space.kernels().front().patterns.size();
}

} // namespace texelscope::experiments
