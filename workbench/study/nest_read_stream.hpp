#pragma once

#include "base/layers.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "traces/launch.hpp"

#include <cstddef>
#include <memory>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen
namespace texelscope::sim {
struct SimulationOptions;
} // namespace texelscope::sim

namespace texelscope::workbench::study {

using namespace texelscope::codegen;

/// Collects what bottleneck_cost() needs to know of a kernel's reads. The nest must have reads of
/// images alone (buffers_as_rows() makes rows of buffers images; other reads of buffers are left
/// out), and work-groups of single work-items; where work-items share a tile (R of a schedule), of
/// those that share one; where work-groups copy blocks (S), the work-groups as they are. Of long
/// loops only a part is looked at, and the second half of that part stands for the rest.
[[nodiscard]] ReadStream read_stream(const LoopNest& nest, const SimulationOptions& options);

/// The same for one kernel, by the launch of such a nest, on many machines: what a level of cache
/// makes of the reads is found out once for each size that such a level has. Serves one thread at a
/// time.
class ReadStreams {
public:
    /// Up to so many levels of cache are kept (some 20 KB each).
    explicit ReadStreams(const Launch& launch, std::size_t kept = 64);
    ~ReadStreams();
    ReadStreams(ReadStreams&& other) noexcept;
    ReadStreams& operator=(ReadStreams&& other) noexcept;

    /// Of a machine, but for the code. Throws bad_input where its caches are too large for tables
    /// over the images.
    [[nodiscard]] ReadStream on(const SimulationOptions& options);

private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace texelscope::workbench::study
