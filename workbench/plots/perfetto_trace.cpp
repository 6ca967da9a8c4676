#include "workbench/plots/perfetto_trace.hpp"

#include <protozero/pbf_writer.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

// The file is a sequence of TracePackets. Field numbers are those of perfetto_trace.proto.

namespace texelscope::workbench::plots {
namespace {

using protozero::pbf_tag_type;
using protozero::pbf_writer;
using Track = PerfettoTrace::Track;

// Of TracePacket.
constexpr pbf_tag_type packet_timestamp = 8;
constexpr pbf_tag_type packet_sequence = 10;
constexpr pbf_tag_type packet_event = 11;
constexpr pbf_tag_type packet_interned_data = 12;
constexpr pbf_tag_type packet_sequence_flags = 13;
constexpr pbf_tag_type packet_track_descriptor = 60;
// Of TrackEvent.
constexpr pbf_tag_type event_annotation = 4;
constexpr pbf_tag_type event_type = 9;
constexpr pbf_tag_type event_name_number = 10;
constexpr pbf_tag_type event_track = 11;
constexpr pbf_tag_type event_counter_value = 44;
// Of InternedData.
constexpr pbf_tag_type interned_event_name = 2;
constexpr pbf_tag_type interned_annotation_name = 3;

enum class EventType : std::int32_t { begin = 1, end = 2, counter = 4 };

/// The next packet of a file. Names are written once and then stand as numbers (interning); the
/// first packet says that no number means anything yet.
class Packet {
public:
    explicit Packet(std::string& file) : starts_(file.empty()), trace_(file), writer(trace_, 1)
    {
        writer.add_uint32(packet_sequence, 1);
        constexpr std::uint32_t starts_anew = 1;
        constexpr std::uint32_t uses_numbers = 2;
        writer.add_uint32(packet_sequence_flags,
                          starts_ ? starts_anew | uses_numbers : uses_numbers);
    }

private:
    bool starts_;
    pbf_writer trace_;

public:
    pbf_writer writer;
};

/// The fields of a TrackDescriptor that all kinds of tracks have.
void describe_track(pbf_writer& descriptor, Track track, Track parent, std::string_view name)
{
    // Tracks below one parent are shown in the order in which they were added.
    constexpr std::int32_t by_rank = 3;
    const auto number = static_cast<std::uint64_t>(track);
    descriptor.add_uint64(1, number);
    descriptor.add_string(2, name.data(), name.size());
    if (parent != Track::none) {
        descriptor.add_uint64(5, static_cast<std::uint64_t>(parent));
    }
    descriptor.add_enum(11, by_rank);                            // of the tracks below it
    descriptor.add_int32(12, static_cast<std::int32_t>(number)); // its rank
}

void add_start(pbf_writer& event, EventType type, Track track)
{
    event.add_enum(event_type, static_cast<std::int32_t>(type));
    event.add_uint64(event_track, static_cast<std::uint64_t>(track));
}

} // namespace

/// The names of one packet as numbers. Names that the file does not have yet are written into it.
struct PerfettoTrace::NewNames {
    struct Name {
        pbf_tag_type kind;
        std::string_view text;
        std::uint64_t number;
    };
    std::vector<Name> all;

    std::uint64_t number_of(std::string_view name, Numbers& known, pbf_tag_type kind)
    {
        const auto found = known.find(name);
        if (found != known.end()) {
            return found->second;
        }
        const std::uint64_t number = known.size() + 1; // 0 is none
        known.emplace(name, number);
        all.push_back({kind, name, number});
        return number;
    }

    void write(pbf_writer& packet) const
    {
        if (all.empty()) {
            return;
        }
        pbf_writer data(packet, packet_interned_data);
        for (const Name& each : all) {
            pbf_writer entry(data, each.kind);
            entry.add_uint64(1, each.number);
            entry.add_string(2, each.text.data(), each.text.size());
        }
    }
};

Track PerfettoTrace::add_track(std::string_view name, Track parent)
{
    Packet packet(bytes_);
    const Track track{++tracks_};
    pbf_writer descriptor(packet.writer, packet_track_descriptor);
    describe_track(descriptor, track, parent, name);
    return track;
}

Track PerfettoTrace::add_counter(std::string_view name, std::string_view unit, Track parent)
{
    Packet packet(bytes_);
    const Track track{++tracks_};
    pbf_writer descriptor(packet.writer, packet_track_descriptor);
    describe_track(descriptor, track, parent, name);
    pbf_writer counter(descriptor, 8);
    if (unit == "bytes") {
        constexpr std::int32_t size_in_bytes = 3;
        counter.add_enum(3, size_in_bytes);
    } else {
        counter.add_string(6, unit.data(), unit.size());
    }
    counter.add_string(7, unit.data(), unit.size()); // the key of those that share an axis
    return track;
}

void PerfettoTrace::begin(Track track, std::int64_t at, std::string_view name,
                          Annotations annotations)
{
    NewNames names;
    const std::uint64_t name_number = names.number_of(name, event_names_, interned_event_name);
    std::vector<std::uint64_t> numbers;
    numbers.reserve(annotations.size());
    for (const Annotation& each : annotations) {
        numbers.push_back(names.number_of(each.name, annotation_names_, interned_annotation_name));
    }
    Packet packet(bytes_);
    packet.writer.add_uint64(packet_timestamp, static_cast<std::uint64_t>(at));
    names.write(packet.writer);
    pbf_writer event(packet.writer, packet_event);
    add_start(event, EventType::begin, track);
    event.add_uint64(event_name_number, name_number);
    for (std::size_t i = 0; i < annotations.size(); ++i) {
        pbf_writer annotation(event, event_annotation);
        // The number of its name, written above.
        annotation.add_uint64(1, numbers[i]);
        std::visit(
            [&](const auto& value) {
                using Value = std::decay_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, std::int64_t>) {
                    annotation.add_int64(4, value);
                } else if constexpr (std::is_same_v<Value, double>) {
                    annotation.add_double(5, value);
                } else {
                    annotation.add_string(6, value.data(), value.size());
                }
            },
            annotations[i].value);
    }
}

void PerfettoTrace::end(Track track, std::int64_t at)
{
    Packet packet(bytes_);
    packet.writer.add_uint64(packet_timestamp, static_cast<std::uint64_t>(at));
    pbf_writer event(packet.writer, packet_event);
    add_start(event, EventType::end, track);
}

void PerfettoTrace::count(Track track, std::int64_t at, double value)
{
    Packet packet(bytes_);
    packet.writer.add_uint64(packet_timestamp, static_cast<std::uint64_t>(at));
    pbf_writer event(packet.writer, packet_event);
    add_start(event, EventType::counter, track);
    event.add_double(event_counter_value, value);
}

} // namespace texelscope::workbench::plots
