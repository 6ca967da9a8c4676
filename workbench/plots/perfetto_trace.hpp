#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace texelscope::workbench::plots {

/// Writes a timeline in the format of Perfetto
/// (https://perfetto.dev/docs/reference/trace-packet-proto), which ui.perfetto.dev shows. It has
/// tracks below each other, with slices (from one time to another) or counters (values that hold
/// until the next one). Every event is appended to the file's bytes at once; beside these only
/// names are kept. Times are whole nanoseconds from 0 on, names are UTF-8.
class PerfettoTrace {
public:
    enum class Track : std::uint64_t { none = 0 };

    /// A named value that a slice shows beside its name.
    struct Annotation {
        std::string_view name;
        std::variant<std::int64_t, double, std::string_view> value;
    };
    using Annotations = std::span<const Annotation>;

    /// Adds a track for slices below `parent`, behind the tracks that are there. Further tracks can
    /// be added below it.
    [[nodiscard]] Track add_track(std::string_view name, Track parent = Track::none);
    /// Adds a track for the values of a counter. With the unit "bytes" they are shown as KiB, MiB
    /// and so on; any other unit stands behind the numbers. Counters of one parent and unit share
    /// their axis.
    [[nodiscard]] Track add_counter(std::string_view name, std::string_view unit,
                                    Track parent = Track::none);

    // Events of one track come in the order of time.
    void begin(Track track, std::int64_t at, std::string_view name, Annotations annotations = {});
    /// Ends the slice of the track that began last and has not ended.
    void end(Track track, std::int64_t at);
    void slice(Track track, std::int64_t from, std::int64_t to, std::string_view name,
               Annotations annotations = {})
    {
        begin(track, from, name, annotations);
        end(track, to);
    }
    /// `value` is finite.
    void count(Track track, std::int64_t at, double value);

    /// The file so far.
    [[nodiscard]] const std::string& bytes() const& { return bytes_; }
    [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

private:
    /// Numbers that stand for names in later packets: each name is written once.
    using Numbers = std::map<std::string, std::uint64_t, std::less<>>;
    struct NewNames;

    std::string bytes_;
    std::uint64_t tracks_ = 0;
    Numbers event_names_;
    Numbers annotation_names_;
};

} // namespace texelscope::workbench::plots
