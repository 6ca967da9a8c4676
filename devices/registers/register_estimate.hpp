#pragma once

#include "codegen/nest/half_sums.hpp"
#include "devices/compilers/compiler_gpu.hpp"
#include "devices/profile/device_profile.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::devices {

using namespace texelscope::codegen;

/// Estimates how many 32-bit registers of a work-item Mesa's compiler for the GPU takes for the
/// kernel, without running the compiler. It imitates, in short, its unrolling of loops, its order
/// of instructions and its rule of how many registers are handed out. docs/reference/compilers.md
/// has how often it is right.
[[nodiscard]] int estimated_registers(const LoopNest& nest, Precision arithmetic,
                                      const CompilerGpu& gpu);

/// What a kernel is expected to take on the GPU of a profile, and what finds no room in the most
/// that one of its work-items can have. Without a compiler in Mesa nothing is spilled.
struct RegisterEstimate {
    int registers = 0; ///< estimated_registers()
    int spilled = 0;   ///< live beside them
};
[[nodiscard]] RegisterEstimate register_estimate(const LoopNest& nest, const DeviceProfile& device);

/// The same for one kernel on many devices. Where the profile of an Adreno says so, its vendor's
/// compiler differs from Mesa's: by the loops that it writes out (unroll.*), the reads that it puts
/// together (issue.reads_in_flight), and the most registers of a work-item (limits).
class RegisterEstimator {
public:
    explicit RegisterEstimator(LoopNest nest);
    ~RegisterEstimator();
    RegisterEstimator(RegisterEstimator&& other) noexcept;
    RegisterEstimator& operator=(RegisterEstimator&& other) noexcept;

    [[nodiscard]] RegisterEstimate on(const DeviceProfile& device);

private:
    /// What the order of instructions depends on: the GPU, whether there is half precision, reads
    /// at a time, and the two numbers of UnrollRule.
    using Order = std::tuple<std::string, bool, int, std::int64_t, double>;
    std::unique_ptr<LoopNest> nest_;
    std::map<Order, int> live_; ///< registers of four that are live at once
};

/// The same for the GPU of a profile. If Mesa has no compiler for it, the estimate is
/// register_footprint(), from the live values of the nest.
[[nodiscard]] int estimated_registers(const LoopNest& nest, const DeviceProfile& device);

} // namespace texelscope::devices
