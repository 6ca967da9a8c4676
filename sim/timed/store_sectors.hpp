#pragma once

#include "sim/layout/texel_layout.hpp"
#include "sim/options/options.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// How long the stores of a launch hold the port of the stores.
///
/// In: the launch, with what it writes (Launch::output) and where (Work::store), and the machine's
/// Stores. Out: for each piece of work the bytes for whose time a warp holds the port, the mean
/// over the warps of the work-group in the middle of the launch, in the first iteration of all
/// loops. Where Stores has no sectors, or where a store goes is not known, these are the bytes that
/// the lanes of a full warp store.
class StoreSectors {
public:
    /// Both must outlive this. Throws as TexelLayout does.
    StoreSectors(const Launch& launch, const SimulationOptions& options);

    [[nodiscard]] double port_bytes(const Work& work);

private:
    /// The value of an expression for each work-item of the group.
    void evaluate(const IndexExpr& expression, std::vector<std::int32_t>& out);
    /// Takes the work-items out that fail the guard.
    void keep(const Guard& guard, std::vector<bool>& items);
    /// The sum over all warps of the group for one store.
    [[nodiscard]] double of_group(const Store& store);

    const Launch& launch_;
    const SimulationOptions& options_;
    std::optional<TexelLayout> layout_; ///< of the output; nullopt: bytes are all that counts
    std::size_t items_ = 0;             ///< of the group
    /// Of work-groups and work-items, by slot: its value for each work-item of the group.
    std::vector<std::vector<std::int32_t>> ids_;
    std::vector<std::int32_t> zeros_; ///< of loop variables
    std::vector<bool> inside_;        ///< by work-item: it passes the guards of the launch
    std::vector<std::int32_t> x_, y_;
    std::vector<std::int64_t> addresses_; ///< scratch: of the texels of a warp
};

/// The same for one store of a warp, of the texels at these addresses: bytes for whose time it
/// holds the port. Sorts them.
[[nodiscard]] double port_bytes_of(std::vector<std::int64_t>& addresses,
                                   std::int64_t bytes_per_texel, const Machine& machine);

} // namespace texelscope::sim
