#include "traces/native/trace_file.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <map>

namespace texelscope::traces {

TraceFile::TraceFile(const std::string& path, Damage damage)
    : chunks_(std::make_shared<const TraceChunks>(path, map_file(path), damage == Damage::salvage))
{}

TraceFile::TraceFile(std::string name, std::string bytes, Damage damage)
    : chunks_(std::make_shared<const TraceChunks>(std::move(name), held_bytes(std::move(bytes)),
                                                  damage == Damage::salvage))
{}

std::vector<TracedItem> TraceFile::group(int number, std::int64_t group) const
{
    struct Item {
        std::vector<TracedAccess> reads;
        std::vector<std::pair<std::uint32_t, TracedAccess>> others; ///< with their place among all
    };
    std::map<std::int32_t, Item> items;
    const TraceChunks::LaunchChunks& launch = launch_chunks(number);
    for (const bool reads : {true, false}) {
        for (const TraceChunks::Place& place :
             chunks_of(reads ? launch.reads : launch.others, group)) {
            const auto chunk = chunks_->steps(number, place);
            const StepRange range = steps_of(*chunk, group);
            for (std::size_t i = range.begin; i < range.end; ++i) {
                for (const StepRow& row : chunk->rows_of(chunk->steps[i])) {
                    Item& item = items[row.item];
                    if (reads) {
                        item.reads.push_back(access_of(row));
                    } else {
                        item.others.emplace_back(chunk->steps[i].number, access_of(row));
                    }
                }
            }
        }
    }
    std::vector<TracedItem> in_order;
    for (const auto& [number_in_group, item] : items) {
        TracedItem one{number_in_group, {}};
        auto read = item.reads.begin();
        // An access of another kind has its place among all accesses of the item: image reads fill
        // the places before it. FORMAT.md says what happens where there are too few of them.
        for (const auto& [place, access] : item.others) {
            while (one.accesses.size() < place && read != item.reads.end()) {
                one.accesses.push_back(*read++);
            }
            one.accesses.push_back(access);
        }
        one.accesses.insert(one.accesses.end(), read, item.reads.end());
        in_order.push_back(std::move(one));
    }
    return in_order;
}

bool is_native_trace(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return false; // what is read from a pipe is lost to those who read it next
    }
    std::ifstream in(path, std::ios::binary);
    std::array<char, framing::file_magic.size()> begin{};
    in.read(begin.data(), begin.size());
    return std::string_view(begin.data(), static_cast<std::size_t>(in.gcount())) ==
           framing::file_magic;
}

} // namespace texelscope::traces
