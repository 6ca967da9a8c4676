#pragma once

#include "sim/options/options.hpp"
#include "sim/timed/warp_code.hpp"
#include "traces/launch.hpp"

#include <map>
#include <tuple>

namespace texelscope::workbench::machines {

/// What the code of a kernel takes a warp (WarpCode::totals()) on many machines. Which steps a
/// compiler writes depends on a few values of the machine alone, and making them takes long. What
/// the steps cost is linear in the other values. So the steps of each kind of compiler are made a
/// few times, and from then on the sums are worked out from those. Where that does not give what
/// the steps say, to 1e-9, they are made for every machine.
class CodeTotals {
public:
    /// The launch must outlive this.
    [[nodiscard]] WarpCode::Totals on(const Launch& launch, const SimulationOptions& options);

private:
    /// What decides on the steps.
    using Kind = std::tuple<int, int, double, double, int, bool, int>;
    /// cycles = reads * max(1, c * read) + c * (operation * operations + rest + store * stores),
    /// with the c cycles that an instruction holds the port, and the `rest`: exponentials, and
    /// stores and loads of spilled registers.
    struct Sums {
        WarpCode::Totals totals; ///< but for its cycles
        double rest = 0, stores = 0;
        bool linear = false;
    };
    [[nodiscard]] static Sums sums_of(const Launch& launch, const SimulationOptions& options);
    [[nodiscard]] static WarpCode::Totals from(const Sums& sums, const SimulationOptions& options);

    std::map<Kind, Sums> known_;
};

} // namespace texelscope::workbench::machines
