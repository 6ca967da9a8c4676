#pragma once

#include "workbench/space/pruning_conditions.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study_request.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace texelscope::gui {

/// A launch with more warp accesses is simulated in parts (sampled_time()).
inline constexpr std::int64_t most_simulated_accesses = 1'000'000;

/// Number of a configuration in a space; nothing where it is not in there.
[[nodiscard]] std::optional<std::int64_t> index_of(const ConfigurationSpace& space,
                                                   const Schedule& schedule);
/// index_of() of a configuration whose kernel number is known.
[[nodiscard]] std::optional<std::int64_t>
index_in_kernel(const ConfigurationSpace& space, std::size_t kernel, const Schedule& schedule);

/// What a ranking was asked to search, and how much of it was looked at.
struct SearchedParts {
    std::string asked = {};          ///< keys of parts; empty: those that both judges price
    std::string parts = {};          ///< that were searched
    std::string priced = {};         ///< of the operator on the device, by both judges
    std::string refused = {};        ///< by one of them, in some value
    std::int64_t configurations = 0; ///< of these parts
    std::int64_t looked_at = 0;
    std::int64_t not_priced = 0; ///< how many of those have no price
    std::string refusal = {};    ///< why one of them has no price

    /// Whether all configurations are looked at. This is so where only TMModel's parts are
    /// searched; else a descent looks at few.
    [[nodiscard]] bool whole() const;
    /// In a line, where not everything was looked at and priced; else empty.
    [[nodiscard]] std::string note() const;
};

/// A configuration space in the order of the model's costs: a few bytes for each configuration, so
/// that all of them fit.
class RankedSpace {
public:
    RankedSpace(Operator op, std::shared_ptr<const ConfigurationSpace> space,
                std::vector<ModelCosts::Cost> costs, ModelVariant variant,
                SearchedParts searched = {});

    [[nodiscard]] const Operator& op() const { return op_; }
    [[nodiscard]] const std::shared_ptr<const ConfigurationSpace>& space() const { return space_; }
    [[nodiscard]] ModelVariant variant() const { return variant_; }
    [[nodiscard]] const SearchedParts& searched() const { return searched_; }

    /// Configurations that have a cost. Row r has rank r + 1.
    [[nodiscard]] std::size_t size() const { return costs_.size(); }
    [[nodiscard]] const ModelCosts::Cost& operator[](std::size_t row) const { return costs_[row]; }
    [[nodiscard]] Schedule schedule(std::size_t row) const { return space_->at(costs_[row].index); }
    /// How many rows the model gives the same cost as a row, itself included.
    [[nodiscard]] std::size_t alike(std::size_t row) const;
    /// Puts rows of equal cost in the order of these simulated times (ns, by number in the space);
    /// those without a time come last.
    void order_alike(const std::unordered_map<std::int64_t, double>& simulated);
    /// A remark on the order in one line; may be empty.
    [[nodiscard]] std::string note() const;
    /// Row of an element of the space; nothing where it has no cost.
    [[nodiscard]] std::optional<std::size_t> row_of(std::int64_t index) const;

private:
    Operator op_;
    std::shared_ptr<const ConfigurationSpace> space_;
    std::vector<ModelCosts::Cost> costs_; ///< ascending
    std::vector<std::int32_t> rows_;      ///< by number in the space; -1: none
    ModelVariant variant_;
    SearchedParts searched_;

    /// The first row with the same cost as a row, and the first row after them.
    [[nodiscard]] std::pair<std::size_t, std::size_t> alike_rows(std::size_t row) const;
    /// The row behind the last one with the same cost as `first`.
    [[nodiscard]] std::size_t end_of_alike(std::size_t first) const;
    void number_rows();
};

/// A set of criteria: bit c stands for all_pruning_criteria[c].
using CriteriaSet = std::uint8_t;
inline constexpr CriteriaSet every_criterion = (1U << all_pruning_criteria.size()) - 1U;
/// Their names in the order of the criteria, joined by ", "; empty for none.
[[nodiscard]] std::string to_string_of_criteria(CriteriaSet criteria);

/// Which of Romou's criteria exclude each element of a space, and why.
class SpacePruning {
public:
    SpacePruning(const Operator& op, std::shared_ptr<const ConfigurationSpace> space,
                 const DeviceProfile& device, const std::function<void(double)>& progress = {},
                 const StopToken& stop = {});

    /// All that exclude the element, not only the first.
    [[nodiscard]] CriteriaSet criteria(std::int64_t index) const
    {
        return excluded_[static_cast<std::size_t>(index)];
    }
    /// A line for each of them, with the numbers that it compares: "l1: 64 work-items load 4096 B
    /// ...".
    [[nodiscard]] std::vector<std::string> reasons(std::int64_t index) const;
    /// Criteria that are off because the profile does not give what they need, each as "NAME: what
    /// is missing".
    [[nodiscard]] const std::vector<std::string>& off() const { return off_; }

private:
    std::shared_ptr<const ConfigurationSpace> space_;
    SpaceFootprints footprints_;
    PruningLimits limits_;
    std::vector<CriteriaSet> excluded_; ///< by number in the space
    std::vector<std::string> off_;
};

/// A space that is ranked, and what Romou's criteria exclude of it.
struct RankedAndPruned {
    std::shared_ptr<const RankedSpace> space;
    std::shared_ptr<const SpacePruning> pruning;
    /// Simulated times in ns of the first rows and of the study's own, by number in the space.
    std::unordered_map<std::int64_t, double> simulated = {};
};
/// Row of a configuration in the ranking; nothing where it is not in it.
[[nodiscard]] std::optional<std::size_t> own_row(const RankedSpace& ranked, const Schedule& own);

/// In a line: what was looked at, which of those simulated takes least, and where the study's own
/// configuration stands.
[[nodiscard]] std::string first_note(const RankedAndPruned& ranked, const Schedule& own);

/// Ranks the configurations of a study's operator and device. `asked`: keys of the parts that are
/// searched, empty: those that both judges price. The first rows and the study's own are simulated,
/// and those that the model holds alike are in the order of that. The space is that of what was
/// looked at and, where that is not all, priced, with the study's own. `known`: of the same
/// operator and device, or nothing. Throws bad_input where nothing has a price, and Interrupted.
[[nodiscard]] RankedAndPruned ranked_and_pruned(const StudyRequest& request,
                                                const std::string& asked,
                                                const Calibration& calibration,
                                                ModelVariant variant, const RankedAndPruned& known,
                                                const Progress& progress = {},
                                                const StopToken& stop = {});

} // namespace texelscope::gui
