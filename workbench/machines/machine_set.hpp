#pragma once

#include "workbench/machines/machine_point.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::machines {

/// How well times that were predicted agree with measured ones.
struct Judgement {
    std::int64_t tasks = 0, kernels = 0;
    double tau = 0, least_tau = 0;       ///< Kendall's, mean and least over the tasks
    double error = 0;                    ///< of a time, median: larger over smaller, less 1
    double choice = 1, worst_choice = 1; ///< first choice over best, geometric mean and worst
    std::optional<double> coverage = {}; ///< share of the times inside of the 80 % interval

    bool operator==(const Judgement&) const = default;
};

/// A machine that agrees with what was measured.
struct IdentifiedMachine {
    std::vector<std::string> values; ///< texts, in the order of MachineSet::values
    double weight = 1;               ///< of all weights, which add up to 1
    double loss = 0;                 ///< by the model
    std::optional<double> simulated_loss = {};
    /// log(measured / predicted): what 10, 30, 50, 70 and 90 % of the kernels stay below.
    std::array<double, 5> residuals{};

    bool operator==(const IdentifiedMachine&) const = default;
};

/// The machines that a device can be, by all that was measured on it: what one knows of it, in
/// place of one guess. The first is the best.
struct MachineSet {
    /// A value that differs between the machines.
    struct Value {
        std::string key;
        /// From 0, where the machines agree on it, to 1, where they differ as much as was held
        /// possible before: the measurements then say nothing of it.
        double spread = 1;
        std::string low, high; ///< 80 % of the machines by weight; of words the two likeliest

        [[nodiscard]] bool told() const { return spread <= told_up_to; }
        static constexpr double told_up_to = 0.7;
        bool operator==(const Value&) const = default;
    };
    std::string profile; ///< name of the device that the other values are from
    std::vector<Value> values;
    std::vector<IdentifiedMachine> machines;

    // How it was made.
    std::uint64_t seed = 0;
    std::int64_t evaluations = 0;
    double limit = 0; ///< most loss of a machine
    bool start_anywhere = false;
    std::vector<std::string> sources;  ///< files of kernels, and of figures
    std::vector<std::string> hold_out; ///< texts of the names of tasks that were kept back
    /// More than 1: nothing was kept back, but each of so many parts of the tasks was foretold by
    /// machines that were identified on the others.
    std::int64_t folds = 1;
    Judgement known;                        ///< the best machine on what the set was made from
    std::optional<Judgement> held_out = {}; ///< the same on what was kept back, or on all folds
    std::optional<Judgement> together = {}; ///< the medians of all machines, on the same
    std::optional<Judgement> nominal = {};  ///< the profile as it was, on the same
    /// Of machines that were simulated: the best by the simulator, on kernels of what the set was
    /// made from; and on what was kept back, or on each fold that which is best on the others.
    std::optional<Judgement> simulated = {}, simulated_held_out = {};

    bool operator==(const MachineSet&) const = default;
};

/// Spread and range of a value among machines that have it at these places.
[[nodiscard]] MachineSet::Value value_of(const Unknown& unknown, const std::vector<double>& places,
                                         const std::vector<double>& weights);

/// The machines of a set for pricing, with the values of `profile` elsewhere. Values that
/// `profile` says were set by hand stay. Throws bad_input where a machine does not fit the profile.
[[nodiscard]] std::vector<PricedMachine> priced_machines(const MachineSet& all,
                                                         const DeviceProfile& profile);

} // namespace texelscope::workbench::machines
