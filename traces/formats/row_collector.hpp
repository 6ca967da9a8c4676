#pragma once

#include "base/error.hpp"
#include "traces/formats/trace_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace texelscope::traces {

/// Makes a trace of rows that come in any order. Memory does not grow with their number: when there
/// are too many they go to a temporary file, sorted, and the trace is read from a temporary native
/// one (both in the folder for temporary files, TMPDIR).
class RowCollector {
public:
    /// 40 bytes each.
    static constexpr std::size_t rows_held = std::size_t{1} << 21;

    explicit RowCollector(std::string name, std::size_t most_in_memory = rows_held)
        : name_(std::move(name)), most_(most_in_memory)
    {}

    /// `line`: where the row was read, for messages; 0 where there are no lines.
    void add(const TraceRow& row, std::int64_t line = 0);

    /// The trace of all rows. Throws bad_input where two have the same group, item and step.
    [[nodiscard]] std::unique_ptr<TraceSource> take(std::string kernel, std::vector<Image> images);

private:
    /// A row as it lies in the temporary file: without gaps, which would have whatever was in
    /// memory.
    struct Numbered {
        std::int64_t group = 0;
        std::uint32_t step = 0;
        std::int32_t item = 0;
        Texel texel;
        std::int64_t image = 0;
        std::int64_t line = 0;

        [[nodiscard]] auto place() const { return std::tuple(group, step, item); }
    };
    static_assert(std::has_unique_object_representations_v<Numbered>);
    struct Run {
        std::streamoff position = 0; ///< in the file
        std::size_t rows = 0;
    };
    class RunReader;

    [[nodiscard]] Error twice(const Numbered& first, const Numbered& second) const;
    void sort();
    void spill();
    void write_sorted(const std::string& path, const std::string& kernel,
                      const std::vector<Image>& images);

    std::string name_;
    std::size_t most_;
    std::vector<Numbered> rows_;
    std::fstream file_;     ///< without a name, where there are too many rows
    std::vector<Run> runs_; ///< each sorted by group, step, item, line
};

} // namespace texelscope::traces
