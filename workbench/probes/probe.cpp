#include "workbench/probes/probe.hpp"

#include "workbench/probes/measurements.hpp"
#include "workbench/probes/tmmodel_occupancy.hpp"
#include "workbench/probes/tmmodel_plots.hpp"

namespace texelscope::workbench::probes {

std::optional<double> value_of(const Known& known, const std::string& key)
{
    const auto found = known.find(key);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

// The table of all probes, in the order in which they run: what one needs (keys of findings), an
// earlier one finds. Each has a name, what it measures, the keys that it needs, whether it makes
// sense on a CPU, why not, the function, papers that it follows, its own plots, and the keys that
// others may ask for.
const std::vector<Probe>& probes()
{
    static const std::vector<Probe> all{
        {"conditions",
         "clock and temperature at rest and under load",
         {},
         true,
         "",
         probe_conditions},
        {"arithmetic",
         "multiply-adds a second by vector width and storage",
         {},
         true,
         "",
         probe_arithmetic},
        {"host",
         "launch overhead, and copies between host and device against computing",
         {},
         true,
         "",
         probe_host},
        {"warp-size",
         "work-items of a warp, by two methods",
         {},
         false,
         "a CPU runs work-items one after the other or in vectors of its compiler's choice: there "
         "are no warps",
         probe_warp_size,
         {"archprobe", "tmmodel"},
         {},
         {"warp.size"}},
        {"registers",
         "registers of a core",
         {"warp.size"},
         false,
         "a CPU's compiler keeps what finds no register in memory, and no work-item waits for "
         "another's registers",
         probe_registers},
        {"texture-caches",
         "latency, capacity, ways and lines of the caches that images are read through",
         {},
         false,
         "a CPU has no texture unit: an image is memory, and reading it a function call that takes "
         "longer than a cache "
         "miss",
         probe_texture_caches,
         {"archprobe", "tmmodel"},
         {},
         {"l1.capacity", "l1.line.width", "l1.line.height"}},
        {"buffer-caches",
         "latency, capacity, ways and lines of the caches that buffers are read through",
         {},
         true,
         "",
         probe_buffer_caches},
        {"image-bandwidth",
         "how fast images are read from each level",
         {"warp.size", "l1.capacity", "l1.line.width", "l1.line.height"},
         false,
         "a CPU has no texture unit whose rate could be measured",
         probe_image_bandwidth},
        {"texel-formats",
         "texels a second from the first level, by their numbers and type",
         {},
         false,
         "a CPU has no texture unit: what an image's format costs is the arithmetic that unpacks "
         "it",
         probe_texel_formats},
        {"buffer-bandwidth",
         "how fast buffers and constant memory are read, by size and width",
         {},
         true,
         "",
         probe_buffer_bandwidth},
        {"stores",
         "how long stores take by the sectors and lines that they go to",
         {"warp.size"},
         false,
         "a CPU has no warps whose stores would be joined",
         probe_stores},
        {"local-memory",
         "latency and bandwidth of local memory",
         {},
         false,
         "a CPU has no local memory: the arrays of work-groups are memory like any other",
         probe_local_memory},
        {"tmmodel-walks",
         "latency of random walks by the strides they take (TMModel 3.1)",
         {},
         true,
         "",
         probe_tmmodel_walks,
         {"tmmodel"},
         tmmodel_walks_plots},
        {"tmmodel-warps",
         "how a growing warp slows down in five access patterns (TMModel 3.2.1)",
         {"warp.size"},
         false,
         "a CPU has no warps: work-items run one after the other, and a step of more of them takes "
         "as many times as "
         "long",
         probe_tmmodel_warps,
         {"tmmodel"},
         tmmodel_warps_plots},
        {"tmmodel-occupancy",
         "warps that run together, and what they find of each other's data (TMModel 3.2.2)",
         {"warp.size"},
         false,
         "a CPU has no warps that could share a core's registers and cache",
         probe_tmmodel_occupancy,
         {"tmmodel"},
         tmmodel_occupancy_plots},
    };
    return all;
}

} // namespace texelscope::workbench::probes
