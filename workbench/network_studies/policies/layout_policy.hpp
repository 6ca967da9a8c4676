#pragma once

#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "workbench/network_studies/kernel_search.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// Who reads a value: kernel, and number of the input.
struct ValueReader {
    std::size_t kernel = 0;
    std::size_t input = 0;
};

/// A value that a policy lays out.
struct ValueToLay {
    const networks::Plan& plan; ///< with where the values begin: what their texels hold is settled
    networks::ValueId value = networks::no_value;
    std::vector<ValueReader> readers;
    const DeviceProfile& device;

    [[nodiscard]] const networks::Shape& shape() const { return plan.graph.value(value).shape; }
    /// The dimension that texels hold, or -1.
    [[nodiscard]] int packed() const
    {
        return plan.layouts[static_cast<std::size_t>(value)]->packed;
    }
    /// Texels along a dimension.
    [[nodiscard]] std::int64_t texels(int dimension) const;
};

/// What a kernel is, as frameworks tell them apart.
enum class KernelClass {
    pointwise,       ///< a convolution of one tap, or a matrix product with constant weights
    convolution,     ///< of several taps
    depthwise,       ///< likewise, of each channel alone
    fully_connected, ///< a matrix product of one row with constant weights
    matrix_product,  ///< of what kernels made
    reduction,       ///< sums along axes, softmax, normalisation
    other,           ///< pools, what goes from element to element, what moves
};
/// A kernel that a policy schedules.
struct KernelToTile {
    KernelClass kind = KernelClass::other;
    /// Of the output along the grid's axes: what texels hold (channels), the last of the others
    /// (width), the one before it (height), and how often that repeats (batch and what else there
    /// is).
    std::int64_t channels = 1, width = 1, height = 1, planes = 1;
    bool vectors = true; ///< texels hold four neighbours
    const DeviceProfile& device;
};

/// What a policy says of a kernel's schedule. What the framework does not tune has one choice.
struct KernelRule {
    std::vector<Dim3> tiles = {};  ///< of channels, width and height; empty: searched
    std::vector<Dim3> groups = {}; ///< of work-items, likewise
    /// R; of reductions it is searched whatever the policy, as all frameworks share them.
    std::int32_t split = 1;
    AccessPattern weights = AccessPattern::row;
    Memory weights_in = Memory::image;
};

/// How another framework would place the values of a network and schedule its kernels, said over
/// our kernels: the same lowering and fusion, and the same search of what the framework tunes. What
/// differs is where values lie, and what it fixes.
///
/// What no policy of others says as it is: texels hold what ours do (channels of maps, the last
/// dimension of matrices), and where a kernel reads beside a value there are gaps of zeros behind
/// its dimensions, of which frameworks ask the coordinates instead. So sides of images are as
/// theirs but for these gaps. Images are laid out in memory as the device's profile has it.
struct LayoutPolicy {
    const char* key;     ///< of `--policy`
    const char* name;    ///< of the framework
    const char* rule;    ///< where values lie, in a few words
    const char* sources; ///< what it follows
    /// Where a value lies. Its gaps and its storage are left open.
    codegen::TensorLayout (*layout)(const ValueToLay& value);
    KernelRule (*kernel)(const KernelToTile& kernel);
    /// What the framework does with an image beyond the device's limit; nothing: it takes a buffer.
    const char* beyond;
};

/// Where the policy has a value, stored as it begins.
[[nodiscard]] codegen::TensorLayout laid_out(const LayoutPolicy& policy, const ValueToLay& value);

/// Those of others, by key: a new one is its row.
[[nodiscard]] std::span<const LayoutPolicy> layout_policies();
/// Throws bad_input, listing the keys, for an unknown one; "ours" is none of them.
[[nodiscard]] const LayoutPolicy& find_policy(const std::string& key);
/// "ours" and all keys.
[[nodiscard]] std::vector<std::string> policy_keys();

} // namespace texelscope::workbench::network_studies
