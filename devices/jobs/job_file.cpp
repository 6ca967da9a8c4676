// A job file: a head (version, number of jobs), then a record for each job, made of the lines and
// blocks of sized_blocks.hpp. What record_of() writes, read_job() reads in the same order. Every
// number is checked as it is read, and the whole job by check_job(), since files may come from
// anywhere.

#include "devices/jobs/job_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <istream>
#include <limits>
#include <ostream>
#include <utility>

namespace texelscope::devices {
namespace {

// What the versions before this one lack: 1 copies (and all texels are RGBA), 2 words, 3 padding of
// rows and budgets, 4 steps, 5 parts of buffers, 6 runs that go on from each other, 7 references, 8
// kernels that are built and not launched.
constexpr std::int64_t jobs_version = 9, oldest_version = 1;
// Bounds counts of any kind (launches, arguments, steps), so that a damaged file cannot ask for a
// huge job.
constexpr std::int64_t most_launches = 1'000'000;
constexpr double microseconds = 1e6;

constexpr std::array<std::pair<TexelType, const char*>, 4> types{{{TexelType::fp32, "fp32"},
                                                                  {TexelType::fp16, "fp16"},
                                                                  {TexelType::unorm8, "unorm8"},
                                                                  {TexelType::uint8, "uint8"}}};
constexpr std::array<std::pair<int, const char*>, 3> channel_names{
    {{1, "r"}, {2, "rg"}, {4, "rgba"}}};

/// The second of the pair whose first is `key`.
template <class Key, std::size_t count>
std::string name_of(const std::array<std::pair<Key, const char*>, count>& names, Key key)
{
    return std::find_if(names.begin(), names.end(),
                        [&](const auto& name) { return name.first == key; })
        ->second;
}

std::string access_of(bool written)
{
    return written ? "write" : "read";
}

// Words are written as they lie in memory: a place, a number that is not used, and the two values,
// of 4 bytes each.
void write_words(RecordText& record, const std::vector<JobWord>& words)
{
    static_assert(sizeof(JobWord) == 16);
    if (!words.empty()) {
        record.block("words", std::string_view(reinterpret_cast<const char*>(words.data()),
                                               words.size() * sizeof(JobWord)));
    }
}

void write_part(RecordText& record, const std::optional<JobPart>& part)
{
    if (part) {
        record.line("part", {part->buffer, part->offset});
    }
}

void write_argument(RecordText& record, const JobImage& image)
{
    record.word_line("image", name_of(types, image.type) + " " + access_of(image.written) + " " +
                                  name_of(channel_names, image.channels));
    record.line("size", {image.width, image.height});
    record.block("contents", image.contents);
    write_words(record, image.words);
    if (image.row_padding > 0) {
        record.line("row_padding", {image.row_padding});
    }
    write_part(record, image.part);
}

void write_argument(RecordText& record, const JobBuffer& buffer)
{
    record.word_line("buffer", access_of(buffer.written));
    record.line("size", {buffer.bytes});
    record.block("contents", buffer.contents);
    write_words(record, buffer.words);
    write_part(record, buffer.part);
}

void write_argument(RecordText& record, const JobLocal& local)
{
    record.line("local", {local.bytes});
}

void write_argument(RecordText& record, std::int32_t number)
{
    record.line("int", {number});
}

// A float is written by its bits, so that it comes back as it was.
void write_argument(RecordText& record, float number)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    record.line("float_bits", {bits});
}

// Keys stand in a fixed order; those whose value is the default are left out, and older versions
// lack them.
std::string record_of(const Job& job)
{
    RecordText record;
    record.block("job", job.name);
    record.block("kernel", job.kernel);
    record.block("options", job.options);
    record.block("source", job.source);
    record.line("global", {job.global[0], job.global[1], job.global[2]});
    record.line("local", {job.local[0], job.local[1], job.local[2]});
    record.line("launches", {job.warm_up, job.samples});
    record.line("timeout_us",
                {std::max<std::int64_t>(1, std::llround(job.timeout_seconds * microseconds))});
    if (job.budget_seconds > 0) {
        record.line("budget_us",
                    {std::max<std::int64_t>(1, std::llround(job.budget_seconds * microseconds))});
    }
    if (job.reference) {
        record.line("reference", {1});
    }
    if (job.work == JobWork::build) {
        record.line("builds", {1});
    }
    if (is_copy(job.work)) {
        record.word_line("copies", job.work == JobWork::copy_in ? "in" : "out");
    }
    if (!job.steps.empty()) {
        record.line("programs", {static_cast<std::int64_t>(job.programs.size())});
        for (const std::string& program : job.programs) {
            record.block("program", program);
        }
        record.line("steps", {static_cast<std::int64_t>(job.steps.size())});
        for (const JobStep& step : job.steps) {
            record.block("step", step.kernel);
            record.line("of_program", {step.program});
            record.line("global", {step.global[0], step.global[1], step.global[2]});
            record.line("local", {step.local[0], step.local[1], step.local[2]});
            record.line("takes", {step.arguments.begin(), step.arguments.end()});
            if (step.every > 1) {
                record.line("every", {step.every});
            }
        }
    }
    record.line("arguments", {static_cast<std::int64_t>(job.arguments.size())});
    for (const JobArgument& argument : job.arguments) {
        std::visit([&](const auto& value) { write_argument(record, value); }, argument);
    }
    for (const JobFeed& feed : job.feeds) {
        record.line("feed", {feed.argument, static_cast<std::int64_t>(feed.contents.size())});
        for (const auto& contents : feed.contents) {
            record.block("contents", contents);
        }
    }
    for (const JobSwap& swap : job.swaps) {
        record.line("swap", {swap.first, swap.second, swap.every});
    }
    if (!job.fetches.empty()) {
        record.line("fetches", {job.fetches.begin(), job.fetches.end()});
    }
    record.line("outputs", {job.outputs.begin(), job.outputs.end()});
    return std::move(record).finished();
}

bool parse_access(const RecordReader& reader, const std::string& word)
{
    if (word != "read" && word != "write") {
        reader.fail("an argument is 'read' or 'write'");
    }
    return word == "write";
}

/// The first of the pair whose second is `word`.
template <class Key, std::size_t count>
Key parse_name(const RecordReader& reader,
               const std::array<std::pair<Key, const char*>, count>& names, const std::string& word)
{
    std::string known;
    for (const auto& [key, name] : names) {
        if (word == name) {
            return key;
        }
        known += std::string(known.empty() ? "'" : ", '") + name + "'";
    }
    reader.fail("texels are " + known + ", not '" + word + "'");
}

std::vector<JobWord> read_words(RecordReader& reader)
{
    if (reader.peek_key() != "words") {
        return {};
    }
    const std::string bytes = reader.block("words");
    if (bytes.size() % sizeof(JobWord) != 0) {
        reader.fail("words take " + std::to_string(sizeof(JobWord)) + " bytes each");
    }
    std::vector<JobWord> words(bytes.size() / sizeof(JobWord));
    if (!words.empty()) {
        std::memcpy(words.data(), bytes.data(), bytes.size());
    }
    return words;
}

std::optional<JobPart> read_part(RecordReader& reader)
{
    if (reader.peek_key() != "part") {
        return std::nullopt;
    }
    const std::vector<std::int64_t> numbers = reader.numbers("part", 2);
    // The bound only keeps the number within an int; check_job() compares it with the arguments.
    if (numbers[0] < 0 || numbers[0] > most_launches) {
        reader.fail("a part is of an argument that is not there");
    }
    return JobPart{static_cast<int>(numbers[0]), numbers[1]};
}

JobArgument read_image(RecordReader& reader)
{
    const std::vector<std::string> words = reader.words("image");
    if (words.size() != 2 && words.size() != 3) {
        reader.fail("'image' takes the type of its texels, its access and their channels");
    }
    JobImage image;
    image.type = parse_name(reader, types, words[0]);
    image.written = parse_access(reader, words[1]);
    // Version 1 had no channels: its texels all have four.
    image.channels = words.size() == 2 ? 4 : parse_name(reader, channel_names, words[2]);
    const std::vector<std::int64_t> size = reader.numbers("size", 2);
    image.width = size[0];
    image.height = size[1];
    image.contents = to_bytes(reader.block("contents"));
    image.words = read_words(reader);
    if (reader.peek_key() == "row_padding") {
        image.row_padding = reader.number("row_padding", 1, largest_number);
    }
    image.part = read_part(reader);
    return image;
}

JobArgument read_buffer(RecordReader& reader)
{
    const std::vector<std::string> words = reader.words("buffer");
    if (words.size() != 1) {
        reader.fail("'buffer' takes its access");
    }
    JobBuffer buffer;
    buffer.written = parse_access(reader, words[0]);
    buffer.bytes = reader.number("size", 1, largest_number);
    buffer.contents = to_bytes(reader.block("contents"));
    buffer.words = read_words(reader);
    buffer.part = read_part(reader);
    return buffer;
}

JobArgument read_argument(RecordReader& reader)
{
    const std::string key = reader.peek_key();
    if (key == "image") {
        return read_image(reader);
    }
    if (key == "buffer") {
        return read_buffer(reader);
    }
    if (key == "local") {
        return JobLocal{reader.number("local", 1, largest_number)};
    }
    if (key == "int") {
        return static_cast<std::int32_t>(reader.number("int",
                                                       std::numeric_limits<std::int32_t>::min(),
                                                       std::numeric_limits<std::int32_t>::max()));
    }
    const auto bits = static_cast<std::uint32_t>(
        reader.number("float_bits", 0, std::numeric_limits<std::uint32_t>::max()));
    float number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

JobWork parse_direction(RecordReader& reader)
{
    const std::vector<std::string> words = reader.words("copies");
    if (words.size() != 1 || (words[0] != "in" && words[0] != "out")) {
        reader.fail("a copy is 'in' or 'out'");
    }
    return words[0] == "in" ? JobWork::copy_in : JobWork::copy_out;
}

void read_steps(RecordReader& reader, Job& job)
{
    const std::int64_t programs = reader.number("programs", 0, most_launches);
    for (std::int64_t i = 0; i < programs; ++i) {
        job.programs.push_back(reader.block("program"));
    }
    const std::int64_t steps = reader.number("steps", 0, most_launches);
    for (std::int64_t i = 0; i < steps; ++i) {
        JobStep step;
        step.kernel = reader.block("step");
        step.program = static_cast<int>(
            reader.number("of_program", 0, std::max<std::int64_t>(0, programs - 1)));
        for (auto* sizes : {&step.global, &step.local}) {
            const std::vector<std::int64_t> numbers =
                reader.numbers(sizes == &step.global ? "global" : "local", 3);
            *sizes = {numbers[0], numbers[1], numbers[2]};
        }
        for (const std::int64_t argument : reader.numbers("takes", -1)) {
            if (argument < 0 || argument > most_launches) {
                reader.fail("a step takes an argument that is not there");
            }
            step.arguments.push_back(static_cast<int>(argument));
        }
        if (reader.peek_key() == "every") {
            step.every = static_cast<int>(reader.number("every", 1, most_launches));
        }
        job.steps.push_back(std::move(step));
    }
}

// Numbers of arguments in the file are positions in the job's list of them.
int argument_number(const RecordReader& reader, const Job& job, std::int64_t number)
{
    if (number < 0 || number >= static_cast<std::int64_t>(job.arguments.size())) {
        reader.fail("an output is not among the arguments");
    }
    return static_cast<int>(number);
}

/// What makes runs go on from each other.
void read_runs(RecordReader& reader, Job& job)
{
    while (reader.peek_key() == "feed") {
        const std::vector<std::int64_t> numbers = reader.numbers("feed", 2);
        JobFeed feed{argument_number(reader, job, numbers[0]), {}};
        for (std::int64_t left = numbers[1]; left > 0; --left) {
            feed.contents.push_back(to_bytes(reader.block("contents")));
        }
        job.feeds.push_back(std::move(feed));
    }
    while (reader.peek_key() == "swap") {
        const std::vector<std::int64_t> numbers = reader.numbers("swap", 3);
        if (numbers[2] < 1 || numbers[2] > most_launches) {
            reader.fail("a swap is after the last of 1 to " + std::to_string(most_launches) +
                        " runs");
        }
        job.swaps.push_back({argument_number(reader, job, numbers[0]),
                             argument_number(reader, job, numbers[1]),
                             static_cast<int>(numbers[2])});
    }
    if (reader.peek_key() == "fetches") {
        for (const std::int64_t number : reader.numbers("fetches", -1)) {
            job.fetches.push_back(argument_number(reader, job, number));
        }
    }
}

Job read_job(RecordReader& reader)
{
    Job job;
    job.name = reader.block("job");
    job.kernel = reader.block("kernel");
    job.options = reader.block("options");
    job.source = reader.block("source");
    for (auto* sizes : {&job.global, &job.local}) {
        const std::vector<std::int64_t> numbers =
            reader.numbers(sizes == &job.global ? "global" : "local", 3);
        *sizes = {numbers[0], numbers[1], numbers[2]};
    }
    const std::vector<std::int64_t> launches = reader.numbers("launches", 2);
    for (const std::int64_t count : launches) {
        if (count < 0 || count > most_launches) {
            reader.fail("a number of launches is not between 0 and " +
                        std::to_string(most_launches));
        }
    }
    job.warm_up = static_cast<int>(launches[0]);
    job.samples = static_cast<int>(launches[1]);
    job.timeout_seconds =
        static_cast<double>(reader.number("timeout_us", 1, largest_number)) / microseconds;
    if (reader.peek_key() == "budget_us") {
        job.budget_seconds =
            static_cast<double>(reader.number("budget_us", 1, largest_number)) / microseconds;
    }
    if (reader.peek_key() == "reference") {
        job.reference = reader.number("reference", 0, 1) == 1;
    }
    if (reader.peek_key() == "builds" && reader.number("builds", 0, 1) == 1) {
        job.work = JobWork::build;
    }
    if (reader.peek_key() == "copies") {
        job.work = parse_direction(reader);
    }
    if (reader.peek_key() == "programs") {
        read_steps(reader, job);
    }
    const std::int64_t arguments = reader.number("arguments", 0, most_launches);
    for (std::int64_t i = 0; i < arguments; ++i) {
        job.arguments.push_back(read_argument(reader));
    }
    read_runs(reader, job);
    for (const std::int64_t output : reader.numbers("outputs", -1)) {
        job.outputs.push_back(argument_number(reader, job, output));
    }
    reader.end();
    check_job(job);
    return job;
}

} // namespace

void write_jobs(std::ostream& out, const std::vector<Job>& jobs)
{
    // The head is a record of its own, with its own checksum.
    RecordText head;
    head.line("texelscope-jobs", {jobs_version});
    head.line("jobs", {static_cast<std::int64_t>(jobs.size())});
    out << std::move(head).finished();
    for (const Job& job : jobs) {
        check_job(job);
        out << record_of(job);
    }
}

JobFileReader::JobFileReader(std::istream& in, std::string where) : reader_(in, std::move(where))
{
    if (const std::int64_t found = reader_.number("texelscope-jobs", 0, largest_number);
        found < oldest_version || found > jobs_version) {
        reader_.fail("the file is of version " + std::to_string(found) + ", this program reads " +
                     std::to_string(oldest_version) + " to " + std::to_string(jobs_version));
    }
    jobs_ = reader_.number("jobs", 0, largest_number);
    reader_.end();
}

// The end of the file is checked when the last job is asked for: bytes that follow mean that the
// head's count is wrong.
std::optional<Job> JobFileReader::next()
{
    if (done_ == jobs_) {
        if (!reader_.at_end()) {
            reader_.fail("the file goes on after the last of " + std::to_string(jobs_) + " jobs");
        }
        return std::nullopt;
    }
    Job job = read_job(reader_);
    ++done_;
    return job;
}

std::vector<Job> read_jobs(std::istream& in, const std::string& where)
{
    JobFileReader reader(in, where);
    std::vector<Job> jobs;
    while (auto job = reader.next()) {
        jobs.push_back(std::move(*job));
    }
    return jobs;
}

} // namespace texelscope::devices
