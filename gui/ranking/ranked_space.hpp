#pragma once

#include "experiments/study/prediction.hpp"
#include "experiments/study/study.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// Number of a configuration in a space; nothing where it is not in there.
[[nodiscard]] std::optional<std::int64_t> index_of(const ConfigurationSpace& space, const Schedule& schedule);

/// Whether the two ask for the same configuration space, judged by the same model.
[[nodiscard]] bool same_space(const StudyRequest& a, const StudyRequest& b);

/// A configuration space in the order of the model's costs: a few bytes for each configuration, so that all of them fit.
class RankedSpace {
public:
    RankedSpace(Operator op, std::shared_ptr<const ConfigurationSpace> space, std::vector<ModelCosts::Cost> costs,
                ModelVariant variant);

    [[nodiscard]] const Operator& op() const { return op_; }
    [[nodiscard]] const std::shared_ptr<const ConfigurationSpace>& space() const { return space_; }
    [[nodiscard]] ModelVariant variant() const { return variant_; }

    /// Configurations that have a cost. Row r has rank r + 1.
    [[nodiscard]] std::size_t size() const { return costs_.size(); }
    [[nodiscard]] const ModelCosts::Cost& operator[](std::size_t row) const { return costs_[row]; }
    [[nodiscard]] Schedule schedule(std::size_t row) const { return space_->at(costs_[row].index); }
    /// Row of an element of the space; nothing where it has no cost.
    [[nodiscard]] std::optional<std::size_t> row_of(std::int64_t index) const;

private:
    Operator op_;
    std::shared_ptr<const ConfigurationSpace> space_;
    std::vector<ModelCosts::Cost> costs_; ///< ascending
    std::vector<std::int32_t> rows_;      ///< by number in the space; -1: none
    ModelVariant variant_;
};

/// Ranks the whole space of a study's operator and device. `space`: where it is known already. Throws bad_input where the
/// variant does not know a kernel, and Interrupted.
[[nodiscard]] RankedSpace ranked_space(const StudyRequest& request, const Calibration& calibration,
                                       ModelVariant variant, std::shared_ptr<const ConfigurationSpace> space,
                                       const std::function<void(double)>& progress = {}, const StopToken& stop = {});

} // namespace texelscope::gui
