#pragma once

#include "tests/protobuf_message.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::test {

/// A slice or a value of a counter, as a viewer puts it together.
struct ReadEvent {
    std::int64_t from = 0;
    std::int64_t to = 0; ///< of a slice
    std::string name;
    std::map<std::string, std::variant<std::int64_t, double, std::string>> annotations;
    double value = 0; ///< of a counter

    bool operator==(const ReadEvent&) const = default;
};

struct ReadTrack {
    std::string path; ///< names from the outermost on, with slashes between
    bool counter = false;
    std::string unit;
    std::uint64_t rank = 0;
    std::vector<ReadEvent> events; ///< slices in the order in which they begin
};

/// The tracks of a trace, in the order in which they are defined, by a slow decoder: packets of one
/// sequence, times in order, names by number. Throws where a slice does not end, an end has no
/// slice, or a name or a track is not defined before its use.
[[nodiscard]] inline std::vector<ReadTrack> read_perfetto(const std::string& bytes)
{
    std::vector<ReadTrack> tracks;
    std::map<std::uint64_t, std::size_t> number;
    std::map<std::size_t, std::vector<std::size_t>> open; // events by track
    std::map<std::uint64_t, std::string> event_names;
    std::map<std::uint64_t, std::string> annotation_names;
    bool first = true;
    for (const ProtobufMessage& packet : ProtobufMessage(bytes).messages(1)) {
        if (packet.integer(10) != 1 || packet.integer(13) != (first ? 3U : 2U)) {
            throw std::runtime_error("a packet of another sequence, or one that forgets names");
        }
        first = false;
        if (packet.has(60)) {
            const ProtobufMessage descriptor = packet.message(60);
            ReadTrack track;
            track.path =
                descriptor.has(5) ? tracks.at(number.at(descriptor.integer(5))).path + "/" : "";
            track.path += descriptor.text(2);
            track.rank = descriptor.integer(12);
            track.counter = descriptor.has(8);
            if (track.counter) {
                const ProtobufMessage counter = descriptor.message(8);
                track.unit = counter.has(3) && counter.integer(3) == 3 ? "bytes" : counter.text(6);
            }
            if (descriptor.integer(1) == 0 || descriptor.integer(11) != 3 ||
                !number.emplace(descriptor.integer(1), tracks.size()).second) {
                throw std::runtime_error("a track twice, or without the order of those below it");
            }
            tracks.push_back(track);
            continue;
        }
        for (const ProtobufMessage& names : packet.messages(12)) {
            const auto add = [](const ProtobufMessage& name,
                                std::map<std::uint64_t, std::string>& to) {
                if (name.integer(1) == 0 || !to.emplace(name.integer(1), name.text(2)).second) {
                    throw std::runtime_error("a name without a number, or one that another has");
                }
            };
            for (const ProtobufMessage& name : names.messages(2)) {
                add(name, event_names);
            }
            for (const ProtobufMessage& name : names.messages(3)) {
                add(name, annotation_names);
            }
        }
        const ProtobufMessage event = packet.message(11);
        const std::size_t where = number.at(event.integer(11));
        ReadTrack& track = tracks[where];
        const auto at = static_cast<std::int64_t>(packet.integer(8));
        ReadEvent read{at, at, {}, {}, 0};
        switch (event.integer(9)) {
        case 1:
            read.name = event_names.at(event.integer(10));
            for (const ProtobufMessage& annotation : event.messages(4)) {
                auto& value = read.annotations[annotation_names.at(annotation.integer(1))];
                if (annotation.has(4)) {
                    value = static_cast<std::int64_t>(annotation.integer(4));
                } else if (annotation.has(5)) {
                    value = annotation.real(5);
                } else {
                    value = annotation.text(6);
                }
            }
            open[where].push_back(track.events.size());
            track.events.push_back(read);
            break;
        case 2:
            if (open[where].empty()) {
                throw std::runtime_error("an end without a slice");
            }
            track.events.at(open[where].back()).to = at;
            open[where].pop_back();
            break;
        case 4:
            read.value = event.real(44);
            track.events.push_back(read);
            break;
        default:
            throw std::runtime_error("an event of another kind");
        }
        if (track.counter != (event.integer(9) == 4)) {
            throw std::runtime_error("an event on the wrong kind of track");
        }
    }
    for (const auto& [track, events] : open) {
        if (!events.empty()) {
            throw std::runtime_error("a slice without an end");
        }
    }
    return tracks;
}

} // namespace texelscope::test
