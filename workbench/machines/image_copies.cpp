#include "workbench/machines/image_copies.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "sim/options/machine.hpp"

namespace texelscope::workbench::machines {

using namespace texelscope::codegen;

ImageCopies image_copies(const LoopNest& nest)
{
    ImageCopies copies;
    for (const Operand& input : nest.inputs) {
        if (input.memory == Memory::image) {
            ++copies.launches;
            copies.bytes += 2 * input.image.extent.area() * input.image.bytes_per_texel.value;
        }
    }
    return copies;
}

double copies_ns(const ImageCopies& copies, const Timing& timing)
{
    const double bytes_per_ns = timing.memory_bytes_per_cycle * timing.clock_mhz / 1000;
    return copies.launches * timing.launch_ns + static_cast<double>(copies.bytes) / bytes_per_ns;
}

} // namespace texelscope::workbench::machines
