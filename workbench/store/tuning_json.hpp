#pragma once

#include "workbench/space/tunable_parameters.hpp"
#include "workbench/store/stored_result.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::store {

// What the files of auto-tuners have in common: one operator on one device, times in ms, and beside
// their own members some of ours, from which a row comes back bit by bit.

/// What every row of a file shares: the operator with its shape, and the key without the kernel.
struct TuningGroup {
    std::string op, shape, padding;
    ResultKey key;
};
/// Throws bad_input where rows differ, naming what in, where a configuration occurs twice, or where
/// there is no row.
[[nodiscard]] TuningGroup common_group(const std::vector<StoredResult>& results);
[[nodiscard]] nlohmann::ordered_json to_json(const TuningGroup& group);
/// Members that are missing stay empty, but for the judge, which is the device.
[[nodiscard]] TuningGroup group_of(const nlohmann::ordered_json& object);

/// The schedules of rows as a table. Throws bad_input where a configuration is no schedule.
[[nodiscard]] ParameterTable parameters_of(const std::vector<StoredResult>& results);
[[nodiscard]] nlohmann::ordered_json to_json(const ParameterValue& value);
/// Whole numbers and texts; throws bad_input for anything else.
[[nodiscard]] ParameterValue parameter_value(const nlohmann::ordered_json& value);

/// What a file calls one of the times.
struct TimeMember {
    const char* name;
    double ResultTimes::*time;
};

/// Sizes "64,64,64" as numbers, and back.
[[nodiscard]] nlohmann::ordered_json shape_json(const std::string& shape);
[[nodiscard]] std::string shape_of(const nlohmann::ordered_json& sizes);

/// Infinite numbers and NaN, which JSON has not, become the texts "inf", "-inf" and "nan". null is
/// read as NaN.
[[nodiscard]] nlohmann::ordered_json number_json(double number);
[[nodiscard]] double number_of(const nlohmann::ordered_json& value);

/// Times in ns become a member in ms. Beside it, one with "_ns" behind its name holds the exact
/// number where ms do not give the same number again; a number that is not finite stands there
/// alone. Times that are read from ms alone are taken as whole ns if they are whole but for
/// rounding errors.
void put_ms(nlohmann::ordered_json& object, const std::string& name, double ns);
void put_ms(nlohmann::ordered_json& object, const std::string& name, const std::vector<double>& ns);
/// Times in ns; nothing where there is no such member. null in a list is NaN.
[[nodiscard]] std::optional<double> ns_of(const nlohmann::ordered_json& object,
                                          const std::string& name);
[[nodiscard]] std::optional<std::vector<double>> ns_list_of(const nlohmann::ordered_json& object,
                                                            const std::string& name);

/// The members of ours beside those of a format: status, reason, kernel, seed, errors of the
/// output, total time, wall clock.
[[nodiscard]] nlohmann::ordered_json own_members(const StoredResult& result);
/// Sets what own_members() wrote, and the operator and key of the group. Where the digest of the
/// kernel is missing, it is that of the operator's native text. `configuration`: the parameters.
/// Throws bad_input where there is no such kernel.
void set_own_members(StoredResult& result, const nlohmann::ordered_json& members,
                     const TuningGroup& group, const ParameterValues& configuration);

/// Makes a failure of a result that is ok and has no time: tuners write -1, 0, 1e20 ms, null or NaN
/// for a configuration that failed. `members`: those beside the times, of which ours say how it
/// was. `exact`: the samples are those that we wrote in ns. `program`: for the reason.
void fail_without_time(StoredResult& result, const nlohmann::ordered_json& members, bool exact,
                       const std::string& program);

/// ISO 8601 in UTC, as StoredResult has it, of a time stamp like "2026-11-22 07:41:24.5+00:00";
/// others stay.
[[nodiscard]] std::string normalised_timestamp(std::string text);

/// The text of JSON in one line; what is no UTF-8 in it becomes U+FFFD.
[[nodiscard]] std::string one_line(const nlohmann::ordered_json& value);

} // namespace texelscope::workbench::store
