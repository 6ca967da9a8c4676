#include "experiments/probes/probe.hpp"

#include "experiments/probes/arithmetic.hpp"
#include "experiments/probes/host.hpp"
#include "experiments/probes/image_bandwidth.hpp"
#include "experiments/probes/registers.hpp"
#include "experiments/probes/texture_caches.hpp"
#include "experiments/probes/warp_size.hpp"

namespace texelscope {

void check_interrupt(const ProbeOptions& options)
{
    if (options.stop && options.stop()) {
        throw Interrupted{};
    }
}

const std::vector<Probe>& probes()
{
    static const std::vector<Probe> all{
        {"host", "launch overhead and copies between host and device", {}, true, "", probe_host},
        {"arithmetic", "multiply-adds a second by vector width and storage", {}, true, "", probe_arithmetic},
        {"warp-size",
         "work-items of a warp, by two methods",
         {},
         false,
         "a CPU runs work-items one after the other or in vectors of its compiler's choice: there are no warps",
         probe_warp_size},
        {"registers",
         "registers of a core",
         {"warp.size"},
         false,
         "a CPU's compiler keeps what finds no register in memory, and no work-item waits for another's registers",
         probe_registers},
        {"texture-caches",
         "latency, capacity, ways and lines of the caches that images are read through",
         {},
         false,
         "a CPU has no texture unit: an image is memory, and reading it a function call that takes longer than a cache "
         "miss",
         probe_texture_caches},
        {"image-bandwidth",
         "how fast images are read from each level",
         {"warp.size", "l1.capacity", "l1.line.width", "l1.line.height"},
         false,
         "a CPU has no texture unit whose rate could be measured",
         probe_image_bandwidth},
    };
    return all;
}

} // namespace texelscope
