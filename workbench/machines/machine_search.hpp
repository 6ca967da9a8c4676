#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "workbench/machines/machine_loss.hpp"
#include "workbench/machines/machine_point.hpp"
#include "workbench/machines/prepared_kernel.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace texelscope::workbench::machines {

struct SearchOptions {
    std::uint64_t seed = 1;
    std::int64_t evaluations = 20000; ///< machines that are priced, about
    std::size_t machines = 64;        ///< of the set
    /// How much worse than the best a machine of the set may be: this, and a tenth of the best's
    /// loss.
    double tolerance = 0.03;
    bool start_anywhere = false; ///< from the prior alone, not from the profile
};

/// Values, and how far the machine that has them is from what was measured.
struct Point {
    Places places;
    double loss = 0;

    bool operator==(const Point&) const = default;
};

/// All that a search knows between two of its steps. The same state goes on in the same way.
struct SearchState {
    std::int64_t priced = 0; ///< machines so far
    std::string random;      ///< state of the generator
    /// Of the search for the best machine.
    std::vector<Point> population;
    /// Those within the tolerance; empty until the best is found.
    std::vector<Point> set;
    double limit = 0; ///< most loss of the set
    /// Of the machines that were simulated since, in their order: ns of each kernel.
    std::vector<std::vector<double>> simulated;

    bool operator==(const SearchState&) const = default;
};

/// Looks for all machines that agree with measured kernels about as well as the best one does.
///
/// First differential evolution (Storn and Price 1997, with current-to-pbest steps as in JADE,
/// Zhang and Sanderson 2009) looks for the best machine. Then approximate Bayesian computation
/// spreads a set of machines over all of the prior that is within the tolerance: each walks by
/// itself, by steps along the difference of two others (ter Braak 2006) or by drawing one value
/// anew, and takes no step beyond the limit (Marjoram et al. 2003). Such walks draw from the prior
/// evenly, so that a value that makes no difference keeps the spread of the prior.
class MachineSearch {
public:
    /// Everything must outlive the search.
    MachineSearch(const DeviceProfile& profile, const std::vector<Unknown>& unknowns,
                  KernelPrices& prices, const LossFunction& loss, const SearchOptions& options);

    /// Goes on from a state (an empty one begins) to the end. `save` is told every new state.
    /// Throws Interrupted between two of them, and bad_input where no machine of the prior can be.
    [[nodiscard]] SearchState run(SearchState state, const Progress& progress = {},
                                  const StopToken& stop = {},
                                  const std::function<void(const SearchState&)>& save = {});

private:
    /// Places at which a machine can be; nothing where it cannot.
    struct Trial {
        Places places;
        PricedMachine machine;
    };
    [[nodiscard]] std::optional<Trial> trial(Places places) const;
    /// What `propose` makes, until it can be; nothing where it seldom can.
    [[nodiscard]] std::optional<Trial> proposed(const std::function<Places()>& propose) const;
    [[nodiscard]] Places anywhere();
    [[nodiscard]] Places near(const Places& places);
    /// The places with those of another machine for all that says what kernels read.
    [[nodiscard]] Places with_reads_of(Places places, const Places& other) const;
    /// Draws one of these values anew, or takes the choice beside it.
    void change_one(Places& places, PriorRow::Says says);
    [[nodiscard]] Places evolved(const std::vector<Point>& sorted, const Places& of);
    [[nodiscard]] Places walked(const std::vector<Point>& set, std::size_t i);
    /// The losses of trials; infinite for one that is none.
    [[nodiscard]] std::vector<double> losses(const std::vector<std::optional<Trial>>& trials,
                                             const StopToken& stop);
    void begin(SearchState& state, const StopToken& stop);
    void evolve(SearchState& state, const StopToken& stop);
    void begin_set(SearchState& state) const;
    void walk(SearchState& state, const StopToken& stop);

    const DeviceProfile& profile_;
    const std::vector<Unknown>& unknowns_;
    KernelPrices& prices_;
    const LossFunction& loss_;
    SearchOptions options_;
    std::mt19937_64 random_;
};

} // namespace texelscope::workbench::machines
