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

/// A timeline in the format of Perfetto (https://perfetto.dev/docs/reference/trace-packet-proto),
/// which ui.perfetto.dev shows: tracks below each other with slices (from one time to another) or
/// counters (values that hold until the next). Every event is appended to the bytes of the file at
/// once; what is kept beside them are names. Times are whole ns from 0 on. Names are UTF-8.
class PerfettoTrace {
public:
    enum class Track : std::uint64_t { none = 0 };

    /// What a slice says of itself beside its name.
    struct Annotation {
        std::string_view name;
        std::variant<std::int64_t, double, std::string_view> value;
    };
    using Annotations = std::span<const Annotation>;

    /// A track for slices, below `parent`, after those that are there. It may have tracks below it,
    /// too.
    [[nodiscard]] Track add_track(std::string_view name, Track parent = Track::none);
    /// A track for the values of a counter. "bytes" as its unit is shown as KiB, MiB and so on, any
    /// other stands behind the numbers; counters of one parent and unit share their axis.
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
