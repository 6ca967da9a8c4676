#include "workbench/explain/explained_kernel.hpp"

#include "traces/mapped_source.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

namespace texelscope::workbench::explain {
namespace {

/// Functions and words whose result depends on the work-groups.
constexpr std::string_view words_of_groups[] = {
    "get_local_id",
    "get_local_linear_id",
    "get_local_size",
    "get_enqueued_local_size",
    "get_group_id",
    "get_num_groups",
    "barrier",
    "work_group_barrier",
    "mem_fence",
    "local",
    "__local",
    "reqd_work_group_size",
    "async_work_group_copy",
    "async_work_group_strided_copy",
};

/// The text with blanks in place of comments.
std::string without_comments(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view two = text.substr(i, 2);
        if (two == "//") {
            i = std::min(text.find('\n', i), text.size() - 1);
            out += '\n';
        } else if (two == "/*") {
            const std::size_t end = text.find("*/", i + 2);
            i = end == std::string_view::npos ? text.size() : end + 1;
            out += ' ';
        } else {
            out += text[i];
        }
    }
    return out;
}

bool is_word(char letter)
{
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The words of a text that are names, with where they begin.
struct Word {
    std::string_view text;
    std::size_t at = 0;
};
std::optional<Word> next_word(std::string_view text, std::size_t from)
{
    while (from < text.size() && !is_word(text[from])) {
        ++from;
    }
    std::size_t end = from;
    while (end < text.size() && is_word(text[end])) {
        ++end;
    }
    return from == end ? std::nullopt : std::optional(Word{text.substr(from, end - from), from});
}

/// Behind the bracket that closes the first one from `from` on; npos where none does.
std::size_t end_of_body(std::string_view text, std::size_t from)
{
    int depth = 0;
    for (std::size_t i = text.find('{', from); i < text.size(); ++i) {
        depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

/// The text without comments and without other kernels. Where a kernel has no end that can be
/// found, it stays.
std::string text_of_kernel(std::string_view text, std::string_view kernel)
{
    std::string plain = without_comments(text);
    if (kernel.empty()) {
        return plain;
    }
    std::size_t from = 0;
    while (const auto begin = next_word(plain, from)) {
        from = begin->at + begin->text.size();
        if (begin->text != "kernel" && begin->text != "__kernel") {
            continue;
        }
        // The name stands behind the type of the result, which is always void.
        auto word = next_word(plain, from);
        while (word && word->text != "void") {
            word = next_word(plain, word->at + word->text.size());
        }
        const auto name = word ? next_word(plain, word->at + word->text.size()) : std::nullopt;
        const std::size_t end = name ? end_of_body(plain, name->at) : std::string::npos;
        if (end != std::string::npos && name->text != kernel) {
            const std::size_t first = begin->at;
            plain.erase(first, end - first);
            from = first;
        }
    }
    return plain;
}

/// The time of the launch, and hits and misses in the L1 of the images. Where reads of buffers go
/// past it, the launch runs once more without them, which changes nothing there.
KernelTime time_and_hits(const std::shared_ptr<const TraceSource>& source,
                         const RecordedKernel& kernel, const DeviceProfile& device,
                         const SimulationOptions& options, std::span<ArgumentReads> reads,
                         const StopToken& stop)
{
    std::vector<std::optional<ImageMap>> maps;
    std::vector<std::size_t> numbers;
    for (const Image& image : source->images()) {
        const bool seen = !options.kernel.past_l1(image.buffer);
        if (seen) {
            numbers.push_back(maps.size());
        }
        maps.push_back(seen ? std::optional(unchanged(image)) : std::nullopt);
    }
    HitObserver observer(reads, numbers);
    SimulationObserver* const observers[] = {&observer};
    if (numbers.size() == maps.size()) {
        return kernel_time(*source, kernel.work, device, 0, observers, stop);
    }
    if (!numbers.empty()) {
        const std::shared_ptr<const TraceSource> in_l1 = mapped_source(source, maps);
        (void)kernel_time(*in_l1, kernel.work, device, 0, observers, stop);
    }
    return kernel_time(*source, kernel.work, device, 0, {}, stop);
}

} // namespace

ExplainedKernel explain_kernel(const RecordedKernel& kernel, const DeviceProfile& device,
                               std::string registers, int threads, const Progress& progress,
                               const StopToken& stop)
{
    const std::shared_ptr<const TraceSource> source =
        kernel.trace.source(kernel.launch, {std::nullopt, true});
    tell(progress, "simulating " + device.name, 0, 1);
    ExplainedKernel explained;
    explained.device = device.name;
    explained.compiled = kernel.work.compiled;
    explained.registers = std::move(registers);
    const SimulationOptions options = options_of(*source, kernel.work, device, 0);
    explained.reads = argument_reads(*source, options, stop);
    explained.time = time_and_hits(source, kernel, device, options, explained.reads, stop);
    explained.bound = bound_of(explained.time);
    explained.variants = try_variants(kernel, source, device, explained.time, explained.reads,
                                      threads, progress, stop);
    return explained;
}

std::optional<std::string> needs_local_size(std::string_view text, std::string_view kernel)
{
    const std::string plain = text_of_kernel(text, kernel);
    for (auto word = next_word(plain, 0); word;
         word = next_word(plain, word->at + word->text.size())) {
        if (std::ranges::find(words_of_groups, word->text) != std::end(words_of_groups) ||
            word->text.starts_with("sub_group_") || word->text.starts_with("work_group_") ||
            word->text.starts_with("get_sub_group")) {
            return std::string(word->text);
        }
    }
    return std::nullopt;
}

std::array<std::int64_t, 3> default_local_size(const std::array<std::int64_t, 3>& global)
{
    constexpr std::int64_t most = 64;
    std::array<std::int64_t, 3> local{1, 1, 1};
    // Doubles the smallest side that can be doubled; of equal ones the first.
    while (local[0] * local[1] * local[2] < most) {
        std::int64_t* smallest = nullptr;
        for (std::size_t d = 0; d < 3; ++d) {
            if (global[d] % (2 * local[d]) == 0 && (smallest == nullptr || local[d] < *smallest)) {
                smallest = &local[d];
            }
        }
        if (smallest == nullptr) {
            break;
        }
        *smallest *= 2;
    }
    return local;
}

} // namespace texelscope::workbench::explain
