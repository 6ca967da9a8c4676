// Sorts rows that come in any order by an external merge sort: as many as fit in memory are sorted
// and written to a temporary file as a run; at the end, all runs are merged into a native trace,
// which is read lazily. Traces of any length can be imported with bounded memory. Where everything
// fits, no file is written.

#include "traces/formats/row_collector.hpp"

#include "base/error.hpp"
#include "base/scratch_folder.hpp"
#include "traces/formats/trace_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <queue>
#include <system_error>
#include <type_traits>

namespace texelscope::traces {
namespace {

/// Throws bad_input where the temporary file does not work.
void check(const std::fstream& file)
{
    if (!file) {
        throw bad_input(fmt::format("a temporary file beside it fails: {}",
                                    std::generic_category().message(errno == 0 ? EIO : errno)),
                        temporary_path("rows"));
    }
}

} // namespace

/// The rows of a run, one after the other.
class RowCollector::RunReader {
public:
    RunReader(std::fstream& file, Run run, std::size_t buffer)
        : file_(&file), run_(run), buffer_(buffer)
    {
        fill();
    }

    [[nodiscard]] bool at_end() const { return next_ == rows_.size(); }
    [[nodiscard]] const Numbered& row() const { return rows_[next_]; }
    void advance()
    {
        if (++next_ == rows_.size()) {
            fill();
        }
    }

private:
    void fill()
    {
        static_assert(std::is_trivially_copyable_v<Numbered>);
        const std::size_t count = std::min(buffer_, run_.rows);
        const auto bytes = static_cast<std::streamsize>(count * sizeof(Numbered));
        rows_.resize(count);
        file_->seekg(run_.position);
        file_->read(reinterpret_cast<char*>(rows_.data()), bytes);
        check(*file_);
        run_.position += bytes;
        run_.rows -= count;
        next_ = 0;
    }

    std::fstream* file_;
    Run run_; ///< what is left of it
    std::size_t buffer_;
    std::vector<Numbered> rows_;
    std::size_t next_ = 0;
};

void RowCollector::add(const TraceRow& row, std::int64_t line)
{
    if (rows_.size() == most_) {
        spill();
    }
    rows_.push_back({row.group, row.step, row.item, row.texel, row.image, line});
}

Error RowCollector::twice(const Numbered& first, const Numbered& second) const
{
    return bad_input(
        fmt::format("a second read for group {}, item {}, step {}{}", first.group, first.item,
                    first.step,
                    first.line > 0 ? fmt::format("; the first is in line {}", first.line) : ""),
        second.line > 0 ? fmt::format("{}:{}", name_, second.line) : name_,
        "number the steps of a work-item");
}

void RowCollector::sort()
{
    std::sort(rows_.begin(), rows_.end(), [](const Numbered& a, const Numbered& b) {
        return std::pair(a.place(), a.line) < std::pair(b.place(), b.line);
    });
}

void RowCollector::spill()
{
    if (!file_.is_open()) {
        const ScratchFolder folder(temporary_path("texelscope-import"));
        file_.open(folder.file("rows"),
                   std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary);
    }
    // The file stays open, and so usable, after its name has gone with the folder.
    sort();
    runs_.push_back({file_.tellp(), rows_.size()});
    file_.write(reinterpret_cast<const char*>(rows_.data()),
                static_cast<std::streamsize>(rows_.size() * sizeof(Numbered)));
    file_.flush();
    check(file_);
    rows_.clear();
}

void RowCollector::write_sorted(const std::string& path, const std::string& kernel,
                                const std::vector<Image>& images)
{
    constexpr std::size_t most_at_once = 1 << 16;
    // All runs' readers together hold about as many rows as were allowed in memory before.
    const std::size_t at_once = std::clamp<std::size_t>(most_ / runs_.size(), 1, most_at_once);
    std::vector<RunReader> readers;
    for (const Run& run : runs_) {
        readers.emplace_back(file_, run, at_once);
    }
    // A heap gives its greatest element, so the comparison is turned round to get the earliest row.
    const auto later = [&](std::size_t a, std::size_t b) {
        const Numbered& one = readers[a].row();
        const Numbered& other = readers[b].row();
        return std::pair(one.place(), one.line) > std::pair(other.place(), other.line);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heads(later);
    for (std::size_t i = 0; i < readers.size(); ++i) {
        heads.push(i);
    }
    TracedLaunch launch = traced_launch(*make_trace_source(kernel, images, {}));
    TraceWriter writer(path, {});
    writer.begin_launch(std::move(launch));
    Numbered last;
    std::vector<StepRow> step;
    const auto end_step = [&] {
        if (!step.empty()) {
            writer.add_step(last.group, last.step, step);
            step.clear();
        }
    };
    while (!heads.empty()) {
        RunReader& reader = readers[heads.top()];
        const Numbered row = reader.row();
        // Rows of one place come one after the other now, so comparing with the last one finds all
        // twins.
        if (!step.empty() && row.place() == last.place()) {
            throw twice(last, row);
        }
        if (row.group != last.group || row.step != last.step) {
            end_step();
        }
        step.push_back({row.item, AccessKind::image_read, static_cast<std::uint16_t>(row.image),
                        row.texel.x, row.texel.y, 0, 0});
        last = row;
        const std::size_t used = heads.top();
        heads.pop();
        reader.advance();
        if (!reader.at_end()) {
            heads.push(used);
        }
    }
    end_step();
    writer.end_launch();
    writer.finish();
}

std::unique_ptr<TraceSource> RowCollector::take(std::string kernel, std::vector<Image> images)
{
    if (!runs_.empty()) {
        spill();
        rows_ = {};
        const ScratchFolder folder(temporary_path("texelscope-import"));
        const std::string path = folder.file("rows.tst");
        write_sorted(path, kernel, images);
        runs_.clear();
        file_.close();
        return TraceFile(path).source(0); // stays open when the folder goes
    }
    sort();
    const auto twin =
        std::adjacent_find(rows_.begin(), rows_.end(), [](const Numbered& a, const Numbered& b) {
            return a.place() == b.place();
        });
    if (twin != rows_.end()) {
        throw twice(*twin, *(twin + 1));
    }
    std::vector<TraceRow> rows;
    rows.reserve(rows_.size());
    for (const Numbered& row : rows_) {
        rows.push_back(
            {row.group, row.item, row.step, static_cast<std::uint16_t>(row.image), row.texel});
    }
    rows_ = {};
    return make_trace_source(std::move(kernel), std::move(images), std::move(rows));
}

} // namespace texelscope::traces
