// A log of results: a head, then for each job a record that it has started and one with its result.
// A record is appended when the thing has happened, so a log that was cut off says which job was
// under way.

#include "devices/jobs/result_log.hpp"

#include "base/error.hpp"
#include "devices/jobs/conditions.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <istream>
#include <limits>
#include <sstream>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr std::int64_t results_version = 10;
// 7: nothing fetched; 8: what does not build has failed; 9: no reference kernel.
constexpr std::int64_t oldest_results = 7;
std::vector<std::int64_t> whole_numbers(const std::vector<double>& numbers)
{
    std::vector<std::int64_t> whole;
    for (const double number : numbers) {
        whole.push_back(std::llround(number));
    }
    return whole;
}

std::vector<double> real_numbers(const std::vector<std::int64_t>& numbers)
{
    return {numbers.begin(), numbers.end()};
}

/// Numbers of a footprint that the driver gives, in the order of the record.
constexpr std::array footprint_numbers{
    &DriverFootprint::private_bytes, &DriverFootprint::local_bytes, &DriverFootprint::largest_group,
    &DriverFootprint::group_multiple};

void write_footprint(RecordText& record, const DriverFootprint& footprint)
{
    std::vector<std::int64_t> numbers;
    for (const auto number : footprint_numbers) {
        numbers.push_back((footprint.*number).value_or(not_readable));
    }
    record.line("footprint", numbers);
}

DriverFootprint read_footprint(RecordReader& reader)
{
    const std::vector<std::int64_t> numbers = reader.numbers("footprint", footprint_numbers.size());
    DriverFootprint footprint;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] != not_readable) {
            footprint.*footprint_numbers[i] = numbers[i];
        }
    }
    return footprint;
}

RunStatus parse_status(const RecordReader& reader, const std::string& word)
{
    if (const auto status = run_status_named(word); status && *status != RunStatus::wrong_output) {
        return *status;
    }
    reader.fail("the status of a result is unknown");
}

JobResult read_result(RecordReader& reader)
{
    JobResult result;
    const std::vector<std::string> status = reader.words("status");
    result.status = parse_status(reader, status.size() == 1 ? status[0] : "");
    result.reason = reader.block("reason");
    result.kernel_ns = real_numbers(reader.numbers("kernel_ns", -1));
    result.enqueue_ns = real_numbers(reader.numbers("enqueue_ns", -1));
    while (reader.peek_key() == "step_ns") {
        result.step_ns.push_back(real_numbers(reader.numbers("step_ns", -1)));
    }
    result.wall_clock = reader.number("wall_clock", 0, 1) == 1;
    if (reader.peek_key() == "reference_ns") {
        result.reference_ns = real_numbers(reader.numbers("reference_ns", -1));
    }
    result.before = read_conditions(reader, "before");
    result.after = read_conditions(reader, "after");
    result.build_log = reader.block("build_log");
    result.footprint = read_footprint(reader);
    for (std::int64_t left = reader.number("outputs", 0, largest_number); left > 0; --left) {
        result.outputs.push_back(to_bytes(reader.block("output")));
    }
    while (reader.peek_key() == "fetched") {
        result.fetched.push_back(to_bytes(reader.block("fetched")));
    }
    reader.end();
    return result;
}

ResultLogHead read_head(RecordReader& reader)
{
    if (const std::int64_t found = reader.number("texelscope-results", 0, largest_number);
        found < oldest_results || found > results_version) {
        reader.fail("the file is of version " + std::to_string(found) + ", this program reads " +
                    std::to_string(oldest_results) + " to " + std::to_string(results_version));
    }
    ResultLogHead head;
    head.device = read_device(reader);
    head.jobs = reader.number("jobs", 0, largest_number);
    head.fingerprint = static_cast<std::uint64_t>(
        reader.number("fingerprint", std::numeric_limits<std::int64_t>::min(), largest_number));
    reader.end();
    return head;
}

/// Adds the next record to the log.
void read_record(RecordReader& reader, ResultLog& log)
{
    // Records alternate: the start of job n, then its result.
    const auto next = static_cast<std::int64_t>(log.results.size());
    if (log.under_way) {
        (void)reader.number("result", next, next);
        log.results.push_back(read_result(reader));
        log.under_way.reset();
    } else {
        (void)reader.number("started", next, std::min(next, log.head->jobs - 1));
        reader.end();
        log.under_way = next;
    }
}

} // namespace

std::string head_record(const ResultLogHead& head)
{
    RecordText record;
    record.line("texelscope-results", {results_version});
    write_device(record, head.device);
    record.line("jobs", {head.jobs});
    record.line("fingerprint", {static_cast<std::int64_t>(head.fingerprint)});
    return std::move(record).finished();
}

std::string started_record(std::int64_t job)
{
    RecordText record;
    record.line("started", {job});
    return std::move(record).finished();
}

std::string result_record(std::int64_t job, const JobResult& result)
{
    RecordText record;
    record.line("result", {job});
    record.word_line("status", to_string(result.status));
    record.block("reason", result.reason);
    record.line("kernel_ns", whole_numbers(result.kernel_ns));
    record.line("enqueue_ns", whole_numbers(result.enqueue_ns));
    for (const std::vector<double>& times : result.step_ns) {
        record.line("step_ns", whole_numbers(times));
    }
    record.line("wall_clock", {result.wall_clock ? 1 : 0});
    if (!result.reference_ns.empty()) {
        record.line("reference_ns", whole_numbers(result.reference_ns));
    }
    write_conditions(record, "before", result.before);
    write_conditions(record, "after", result.after);
    record.block("build_log", result.build_log);
    write_footprint(record, result.footprint);
    record.line("outputs", {static_cast<std::int64_t>(result.outputs.size())});
    for (const auto& output : result.outputs) {
        record.block("output", output);
    }
    for (const auto& fetched : result.fetched) {
        record.block("fetched", fetched);
    }
    return std::move(record).finished();
}

JobResult read_result_record(const std::string& record, const std::string& where)
{
    std::istringstream in(record);
    RecordReader reader(in, where);
    (void)reader.number("result", 0, largest_number);
    return read_result(reader);
}

ResultLog read_result_log(std::istream& in, const std::string& where)
{
    ResultLog log;
    RecordReader reader(in, where);
    if (reader.at_end()) {
        return log;
    }
    log.head = read_head(reader);
    log.good_bytes = reader.position();
    try {
        // The log is good up to the last whole record; what follows is a cut-off one, or damage.
        while (!reader.at_end()) {
            read_record(reader, log);
            log.good_bytes = reader.position();
        }
    } catch (const Error& error) {
        log.broken = error.what();
    }
    return log;
}

} // namespace texelscope::devices
