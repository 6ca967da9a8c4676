#pragma once

#include "workbench/phones/phone_conclusions.hpp"
#include "workbench/phones/phone_record.hpp"
#include "workbench/plots/result_table.hpp"

#include <optional>
#include <string>

namespace texelscope::workbench::phones {

/// How well a profile foretells the kernels of a phone that ran with a right output.
struct PhoneAgreementText {
    std::size_t kernels = 0;
    std::optional<double> tau; ///< Kendall's tau-b to the measured times, over all operators
    double error = 0;          ///< median of |predicted / measured - 1|
};
/// By the profile before (or, with `after`, the one that was concluded).
[[nodiscard]] PhoneAgreementText agreement(const PhoneConclusions& found, bool after);

/// A row for each kernel: operator, configuration, memory, status, measured and predicted times.
[[nodiscard]] ResultTable kernels_table(const PhoneConclusions& found);

/// One self-contained page: what the device is, its clock during the session, what probes found
/// with their plots, the texture cache of the walks, the kernels against the model, the profile
/// with every source, and what could not be concluded.
[[nodiscard]] std::string phone_page(const PhoneRecord& record, const PhoneConclusions& found);

} // namespace texelscope::workbench::phones
