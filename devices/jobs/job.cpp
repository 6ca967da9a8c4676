// Checks jobs and results. Job files come from anywhere, so a job is checked both when it is
// written and when it is read: the engine relies on every rule that is here.

#include "devices/jobs/job.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace texelscope::devices {
namespace {

/// More than any device has. With these bounds, products of sizes stay far from overflow.
constexpr std::int64_t largest_side = std::int64_t{1} << 24, largest_bytes = std::int64_t{1} << 40;

class Checker {
public:
    explicit Checker(const Job& job) : job_(job) {}

    void check()
    {
        if (!job_.steps.empty()) {
            check_steps();
        } else if (!is_copy(job_.work)) {
            require(!job_.source.empty(), "has no source");
            require(!job_.kernel.empty(), "names no kernel");
        } else {
            require(job_.arguments.size() == 1 && is_memory(job_.arguments.front()),
                    "copies something other than one image or buffer");
        }
        require(job_.warm_up >= 0, "has a negative number of warm-up launches");
        require(job_.samples >= 1, "takes no sample");
        require(job_.timeout_seconds > 0 && job_.timeout_seconds <= 1e6,
                "has a time limit that is not between 0 and 1e6 s");
        check_sizes(job_.global, job_.local);
        for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
            number_ = i;
            argument_ = "argument " + std::to_string(i) + " ";
            std::visit([this](const auto& argument) { check_argument(argument); },
                       job_.arguments[i]);
        }
        for (const int output : job_.outputs) {
            require(memory(output) != nullptr, "output " + std::to_string(output) +
                                                   " is no image or buffer among the arguments");
        }
        require(job_.outputs.empty() || job_.work != JobWork::build,
                "has outputs and does not launch its kernel");
        check_runs();
    }

private:
    // Numbers and local memory have no contents to be copied or read back.
    static bool is_memory(const JobArgument& argument)
    {
        return std::holds_alternative<JobImage>(argument) ||
               std::holds_alternative<JobBuffer>(argument);
    }
    /// The argument of that number; null where it is no image or buffer.
    [[nodiscard]] const JobArgument* memory(int number) const
    {
        const auto index = static_cast<std::size_t>(number);
        return number >= 0 && index < job_.arguments.size() && is_memory(job_.arguments[index])
                   ? &job_.arguments[index]
                   : nullptr;
    }
    // A part lies within a buffer argument, and has no memory of its own.
    static bool is_part(const JobArgument& argument)
    {
        const auto* image = std::get_if<JobImage>(&argument);
        const auto* buffer = std::get_if<JobBuffer>(&argument);
        return (image != nullptr && image->part) || (buffer != nullptr && buffer->part);
    }
    // Whether two memories can take each other's place.
    static bool are_alike(const JobArgument& a, const JobArgument& b)
    {
        const auto* image = std::get_if<JobImage>(&a);
        const auto* other = std::get_if<JobImage>(&b);
        if (image == nullptr || other == nullptr) {
            return image == other && memory_bytes(a) == memory_bytes(b);
        }
        return image->width == other->width && image->height == other->height &&
               image->type == other->type && image->channels == other->channels;
    }

    // Runs that go on from each other: memories are fed, swapped or fetched between launches. Every
    // launch then counts as a sample (no warm-up), and all are made (no budget).
    void check_runs() const
    {
        if (job_.feeds.empty() && job_.swaps.empty() && job_.fetches.empty()) {
            return;
        }
        require(!job_.steps.empty() && job_.warm_up == 0 && job_.budget_seconds == 0,
                "has runs that go on from each other without steps, or with a warm-up or a budget");
        for (const JobFeed& feed : job_.feeds) {
            const JobArgument* const fed = memory(feed.argument);
            require(fed != nullptr && !is_part(*fed) && !feed.contents.empty(),
                    "feeds what is no image or buffer of its own, or with nothing");
            for (const auto& contents : feed.contents) {
                require(static_cast<std::int64_t>(contents.size()) == memory_bytes(*fed),
                        "feeds argument " + std::to_string(feed.argument) +
                            " with another number of bytes");
            }
        }
        for (const JobSwap& swap : job_.swaps) {
            const JobArgument* const first = memory(swap.first);
            const JobArgument* const second = memory(swap.second);
            require(first != nullptr && second != nullptr && are_alike(*first, *second) &&
                        swap.every >= 1,
                    "swaps memories that are not alike");
        }
        require(std::all_of(job_.fetches.begin(), job_.fetches.end(),
                            [&](int number) { return memory(number) != nullptr; }),
                "fetches what is no image or buffer among the arguments");
    }

    void require(bool holds, const std::string& otherwise) const
    {
        if (!holds) {
            throw bad_input(otherwise, "job '" + job_.name + "'");
        }
    }

    // OpenCL 1.2 wants global sizes that are multiples of the local ones.
    void check_sizes(const std::array<std::int64_t, 3>& global,
                     const std::array<std::int64_t, 3>& local) const
    {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            require(local[axis] >= 1 && global[axis] >= 1 && global[axis] <= largest_bytes &&
                        global[axis] % local[axis] == 0,
                    std::string("has work-items along ") + "xyz"[axis] +
                        " that are no multiple of the work-group's");
        }
    }

    void check_steps() const
    {
        require(job_.work == JobWork::launch, "has steps and does not launch them");
        const auto below = [](int number, std::size_t bound) {
            return number >= 0 && static_cast<std::size_t>(number) < bound;
        };
        for (const JobStep& step : job_.steps) {
            require(below(step.program, job_.programs.size()), "has a step without a program");
            require(!step.kernel.empty(), "has a step that names no kernel");
            require(
                std::all_of(step.arguments.begin(), step.arguments.end(),
                            [&](int argument) { return below(argument, job_.arguments.size()); }),
                "has a step with an argument that is not the job's");
            require(step.every >= 1, "has a step that is never launched");
            check_sizes(step.global, step.local);
        }
    }

    void check_contents(const std::vector<std::byte>& contents, std::int64_t bytes) const
    {
        require(contents.empty() || static_cast<std::int64_t>(contents.size()) == bytes,
                argument_ + "has " + std::to_string(contents.size()) +
                    " bytes of contents, it takes " + std::to_string(bytes));
    }

    void check_words(const std::vector<JobWord>& words, const std::vector<std::byte>& contents,
                     std::int64_t bytes) const
    {
        // Bytes of a word.
        constexpr std::int64_t size = 8;
        require(words.empty() || contents.empty(), argument_ + "has both contents and words");
        require(std::all_of(words.begin(), words.end(),
                            [&](const JobWord& word) {
                                return (word.place + std::int64_t{1}) * size <= bytes;
                            }),
                argument_ + "has a word beyond its end");
    }

    void check_argument(const JobImage& image) const
    {
        require(std::min(image.width, image.height) >= 1 &&
                    std::max(image.width, image.height) <= largest_side,
                argument_ + "is an image with a side that is not between 1 and 2^24 texels");
        require(image.channels == 1 || image.channels == 2 || image.channels == 4,
                argument_ + "is an image whose texels have not 1, 2 or 4 numbers");
        require(image.row_padding >= 0 && image.row_padding <= largest_side,
                argument_ + "is an image whose rows are not between 0 and 2^24 bytes apart");
        const std::int64_t bytes =
            image.width * image.height * texel_bytes(image.type, image.channels);
        check_contents(image.contents, bytes);
        check_words(image.words, image.contents, bytes);
        check_part(image, bytes + image.height * image.row_padding);
    }
    void check_argument(const JobBuffer& buffer) const
    {
        check_size(buffer.bytes, "a buffer");
        check_contents(buffer.contents, buffer.bytes);
        check_words(buffer.words, buffer.contents, buffer.bytes);
        check_part(buffer, buffer.bytes);
    }
    template <class Memory>
    void check_part(const Memory& memory, std::int64_t bytes) const
    {
        if (!memory.part) {
            return;
        }
        const auto whole = static_cast<std::size_t>(memory.part->buffer);
        // A part refers to an earlier argument, so that the engine can make memories in order; a
        // part of a part is not supported.
        const auto* buffer = memory.part->buffer >= 0 && whole < number_
                                 ? std::get_if<JobBuffer>(&job_.arguments[whole])
                                 : nullptr;
        require(buffer != nullptr && !buffer->part,
                argument_ + "is a part of what is no buffer before it");
        require(memory.part->offset >= 0 && memory.part->offset <= buffer->bytes - bytes,
                argument_ + "is a part beyond the end of its buffer");
        require(memory.contents.empty() && memory.words.empty(),
                argument_ + "is a part, and has contents of its own");
    }
    void check_argument(const JobLocal& local) const { check_size(local.bytes, "local memory"); }
    void check_argument(std::int32_t /*any*/) const {}
    void check_argument(float /*any*/) const {}

    void check_size(std::int64_t bytes, const char* what) const
    {
        require(bytes >= 1 && bytes <= largest_bytes,
                argument_ + "is " + what + " of a size that is not between 1 and 2^40 bytes");
    }

    const Job& job_;
    std::size_t number_ = 0;
    std::string argument_;
};

} // namespace

std::int64_t texel_bytes(TexelType type, int channels)
{
    switch (type) {
    case TexelType::fp32:
        return 4 * std::int64_t{channels};
    case TexelType::fp16:
        return 2 * std::int64_t{channels};
    case TexelType::unorm8:
    case TexelType::uint8:
        break;
    }
    return channels;
}

std::int64_t memory_bytes(const JobArgument& argument)
{
    if (const auto* image = std::get_if<JobImage>(&argument)) {
        return image->width * image->height * texel_bytes(image->type, image->channels);
    }
    const auto* buffer = std::get_if<JobBuffer>(&argument);
    return buffer == nullptr ? 0 : buffer->bytes;
}

void check_job(const Job& job)
{
    Checker(job).check();
}

// A job that ran has as many samples as it asked for, unless a budget ended it before.
void check_result(const JobResult& result, const Job& job)
{
    const auto samples = static_cast<int>(result.kernel_ns.size());
    bool fits =
        result.outputs.size() == job.outputs.size() &&
        result.enqueue_ns.size() == result.kernel_ns.size() &&
        result.step_ns.size() == job.steps.size() &&
        std::all_of(result.step_ns.begin(), result.step_ns.end(),
                    [&](const auto& times) { return times.size() == result.kernel_ns.size(); }) &&
        (samples == (job.work == JobWork::build ? 0 : job.samples) ||
         (job.budget_seconds > 0 && samples > 0));
    const auto holds = [&](const std::vector<std::byte>& bytes, int number, std::int64_t times) {
        return static_cast<std::int64_t>(bytes.size()) ==
               times * memory_bytes(job.arguments[static_cast<std::size_t>(number)]);
    };
    for (std::size_t i = 0; fits && i < job.outputs.size(); ++i) {
        fits = holds(result.outputs[i], job.outputs[i], 1);
    }
    fits = fits && result.fetched.size() == job.fetches.size();
    for (std::size_t i = 0; fits && i < job.fetches.size(); ++i) {
        fits = holds(result.fetched[i], job.fetches[i], samples);
    }
    if (!fits && result.status == RunStatus::ok) {
        throw bad_input("the result does not fit job '" + job.name + "'");
    }
}

} // namespace texelscope::devices
