#pragma once

#include "devices/profile/device_profile.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::machines {

/// What is held possible of one value of a profile before any kernel was measured.
struct PriorRow {
    enum class Kind {
        linear,      ///< any number from `low` to `high`
        logarithmic, ///< the same, every ratio as likely as any other
        choice,      ///< one of the words or numbers of `choices`
    };
    /// What a value has a say in.
    enum class Says {
        reads, ///< what a kernel reads, as lines, sectors and sets of the caches: costly to change
        times, ///< nothing but how long that takes
        simulator, ///< the same, by the simulator; the model does not know it
    };
    std::string_view key; ///< of profile_keys(); "level.*.latency" stands for every further level
    Kind kind = Kind::choice;
    Says says = Says::times;
    double low = 0, high = 0;
    std::string_view choices = {}; ///< separated by blanks
    bool whole = false;            ///< a whole number
    bool of_core = false;          ///< the range is that of one core, the value is of all
    /// It may be missing in a profile, and is asked for all the same.
    bool always = false;
    std::string_view why;
};

/// The table. A key that no setting has is one of a later program, and counts for nothing.
[[nodiscard]] std::span<const PriorRow> prior_rows();

/// A value of a profile that is not known, and what is possible. A place in [0, 1) stands for each
/// possible value; all places are equally likely.
struct Unknown {
    std::string key, unit;
    const PriorRow* row = nullptr;
    double low = 0, high = 0;         ///< of a number
    std::vector<std::string> choices; ///< of a choice, numbers in ascending order

    /// The text of the value that a place stands for.
    [[nodiscard]] std::string text(double place) const;
    /// The place of a value; of one outside of the range, that of the nearest.
    [[nodiscard]] double place(const std::string& text) const;
    [[nodiscard]] bool is_choice() const { return row->kind == PriorRow::Kind::choice; }

    bool operator==(const Unknown&) const = default;
};

/// The unknown values of a profile: those of the table that the profile has, but for those that a
/// data sheet or a driver tells. `also` names values that are taken for unknown whoever tells them,
/// `keep` values that are taken for known. In the order of the table. A choice has the profile's
/// own value as well. Throws bad_input for a name of `also` that the table lacks.
[[nodiscard]] std::vector<Unknown> unknowns_of(const DeviceProfile& profile,
                                               const std::vector<std::string>& also = {},
                                               const std::vector<std::string>& keep = {});

} // namespace texelscope::workbench::machines
