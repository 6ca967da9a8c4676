// Results: a store, and the files of auto-tuners and of our own that it takes in.

#include "tests/base/temporary_folder.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"
#include "workbench/store/kernel_tuner_cache.hpp"
#include "workbench/store/result_files.hpp"
#include "workbench/store/result_store.hpp"
#include "workbench/store/results_csv.hpp"
#include "workbench/store/run_results.hpp"
#include "workbench/store/t4_results.hpp"

#include <algorithm>
#include <functional>

namespace texelscope::fuzz {
using namespace workbench::store;

namespace {

using Results = std::vector<StoredResult>;

/// What is read is what any reader of results finds there, and can be written as a table and read
/// again.
bool results(std::string_view input, Results (*parse)(const std::string&, const std::string&))
{
    const std::string text(input);
    const auto found = accepted([&] { return parse(text, "file"); });
    if (!found) {
        return false;
    }
    const std::string table = results_csv(*found);
    // refuses what is ok and has no time
    const auto again = accepted([&] { return parse_results_csv(table, "again"); });
    require(!again || results_csv(*again) == table,
            "results that are written and read again are others");
    return true;
}

/// The same, of files of one group that are written in the same format again.
bool grouped(std::string_view input, Results (*parse)(const std::string&, const std::string&),
             std::string (*write)(const Results&))
{
    if (!results(input, parse)) {
        return false;
    }
    const Results found = parse(std::string(input), "file");
    // two of one configuration do not go together
    if (const auto written = accepted([&] { return write(found); })) {
        require(results_csv(parse(*written, "again")) == results_csv(found),
                "results that are written in their format and read again are others");
    }
    return true;
}

} // namespace

bool store(std::string_view input)
{
    const test::TemporaryFolder scratch;
    const std::string path = scratch.write("store", std::string(input));
    const auto rows = accepted([&] {
        const ResultStore found(path, StoreOpening::existing);
        Results all = found.select();
        require(found.count() == static_cast<std::int64_t>(all.size()),
                "a store counts other rows than it has");
        return all;
    });
    if (!rows) {
        return false;
    }
    ResultStore copy(scratch.file("copy"));
    copy.put(*rows);
    for (const StoredResult& row : copy.select()) {
        const auto found = copy.find(row.key);
        require(found && results_csv(Results{*found}) == results_csv(Results{row}),
                "a row is not found by its key");
        ResultFilter of_row;
        of_row.op = row.op;
        of_row.shape = row.shape;
        of_row.device = row.key.device;
        require(copy.count(of_row) > 0, "a row is not found by its parts");
    }
    require(copy.merge(copy).kept == copy.count(), "a store changes by itself");
    ResultStore again(scratch.file("again"));
    (void)again.merge(copy);
    require(results_csv(again.select()) == results_csv(copy.select()),
            "a copy of a store has other rows");
    (void)accepted([&] { // a file that was tampered with may not take rows
        ResultStore found(path);
        (void)found.merge(copy);
        return true;
    });
    return true;
}

bool kernel_tuner(std::string_view input)
{
    return grouped(input, parse_kernel_tuner_cache, kernel_tuner_cache);
}

bool t4(std::string_view input)
{
    return grouped(input, parse_t4_results, t4_results);
}

bool results_csv(std::string_view input)
{
    return results(input, [](const std::string& text, const std::string& where) {
        return parse_results_csv(text, where);
    });
}

/// Any file of results, as `results import` takes it.
bool run_results(std::string_view input)
{
    const test::TemporaryFolder scratch;
    const std::string path = scratch.write("results", std::string(input));
    const auto whole = accepted([&] { return read_results(path); });
    const bool good = results(input, parse_result_file);
    require(!good || (whole && results_csv(*whole) ==
                                   results_csv(parse_result_file(std::string(input), "file"))),
            "a file has other results than its text");
    return good;
}

} // namespace texelscope::fuzz
