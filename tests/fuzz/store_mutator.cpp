#include "tests/base/temporary_folder.hpp"
#include "tests/fuzz/mutation.hpp"

#include <sqlite3.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>

namespace texelscope::fuzz {
namespace {

constexpr std::array columns{
    "kernel",   "judge",     "device",  "driver",     "program",      "settings",
    "operator", "shape",     "padding", "config",     "status",       "reason",
    "samples",  "median",    "max_abs", "max_rel",    "tolerance",    "compile_ns",
    "total_ns", "timestamp", "seed",    "wall_clock", "reference_ns", "reference_spread"};

/// A value as SQL writes it.
std::string literal(Mutation& mutation)
{
    constexpr std::array words{"''",
                               "'ok'",
                               "'failed'",
                               "'nonsense'",
                               "NULL",
                               "1e308",
                               "-1e308",
                               "9e999",
                               "x''",
                               "x'00'",
                               "x'000000000000f03f'",
                               "x'000000000000f07f0000000000000840'",
                               "'a,b'",
                               "'64,64,64'"};
    if (mutation.below(3) == 0) {
        return std::to_string(static_cast<std::int64_t>(mutation.number()));
    }
    if (mutation.below(3) == 0) {
        std::string text = "x'";
        for (const char c : mutation.bytes("text", 24)) {
            constexpr const char* digits = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(c);
            text += {digits[byte / 16], digits[byte % 16]};
        }
        return "CAST(" + text + "' AS " + (mutation.below(2) == 0 ? "TEXT)" : "BLOB)");
    }
    return words[mutation.below(words.size())];
}

std::string statement(Mutation& mutation)
{
    const std::string column = columns[mutation.below(columns.size())];
    const std::string row = std::to_string(1 + mutation.below(3));
    switch (mutation.below(10)) {
    case 0:
        return "DELETE FROM results WHERE rowid = " + row;
    case 1:
        return "PRAGMA user_version = " + std::to_string(mutation.below(5));
    case 2:
        return "PRAGMA application_id = " + std::to_string(mutation.below(2) * 0x54585253);
    case 3: // what SQL can put in the place of the table
        switch (mutation.below(5)) {
        case 0:
            return "ALTER TABLE results RENAME TO others; CREATE VIEW results AS SELECT * FROM "
                   "others";
        case 1:
            return "CREATE TRIGGER extra AFTER INSERT ON results BEGIN DELETE FROM results; END";
        case 2:
            return "ALTER TABLE results DROP COLUMN reason; ALTER TABLE results ADD COLUMN reason "
                   "TEXT AS "
                   "(hex(zeroblob(1000000)))";
        case 3:
            return "ALTER TABLE results DROP COLUMN " + column;
        default:
            return "ALTER TABLE results RENAME TO others; CREATE VIEW results AS WITH RECURSIVE "
                   "n(i) AS (SELECT 1 "
                   "UNION ALL "
                   "SELECT i + 1 FROM n) SELECT others.* FROM others, n";
        }
    case 4:
        return "PRAGMA journal_mode = " + std::string(mutation.below(2) == 0 ? "wal" : "delete");
    case 5: // past the checks of the table: what the text of a schema says is not what lies in its
            // pages
        return "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, ' TEXT', "
               "' " +
               std::string(mutation.below(2) == 0 ? "ANY" : "BLOB") + "') WHERE name = 'results'";
    default:
        return "UPDATE results SET " + column + " = " + literal(mutation) + " WHERE rowid % " +
               row + " = 0";
    }
}

} // namespace

std::string mutate_store(const std::string& input, Mutation& mutation)
{
    const test::TemporaryFolder folder;
    const std::string path = folder.write("store", input);
    {
        sqlite3* handle = nullptr;
        const int opened = sqlite3_open(path.c_str(), &handle);
        const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closer(handle, sqlite3_close);
        if (opened != SQLITE_OK || mutation.below(4) == 0) {
            return mutation.bytes(input, mutation.most);
        }
        for (std::size_t left = 1 + mutation.below(3); left > 0; --left) {
            sqlite3_exec(handle, statement(mutation).c_str(), nullptr, nullptr, nullptr);
        }
    }
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace texelscope::fuzz
