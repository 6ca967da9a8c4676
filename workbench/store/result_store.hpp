#pragma once

#include "workbench/store/stored_result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// Values that a row must have to be selected; an empty member matches every row.
struct ResultFilter {
    std::string op;
    std::string shape; ///< as on the command line: 64,64,64
    std::string padding;
    std::string device;
    std::string judge;
    std::string driver;
    std::string program;
    std::string settings; ///< the first digits of the digest of settings
};

/// Whether a missing file is created, or is an error.
enum class StoreOpening { create, existing };

/// What happened to the rows of a merge.
struct MergeCounts {
    std::int64_t added = 0;
    /// Replaced the row of the same key, whose time stamp was earlier.
    std::int64_t replaced = 0;
    std::int64_t kept = 0; ///< not taken: the store had the same or a later row
};

/// Judged configurations, kept in one SQLite file with one row for each ResultKey.
///
/// What goes in: rows (StoredResult) by put(), or many at once by merge(). What comes out: one row
/// by its key with find(), rows that a ResultFilter matches with select() or visit().
///
/// Searches ask find() before they judge a configuration and put() what they judged at once, so a
/// search that was interrupted goes on where it stopped.
///
/// What always holds: no two rows have the same key; a row that was put survives a crash of the
/// process or of the machine; put() of several rows and merge() take all of their rows or none.
///
/// Several processes may read and write one file at once; a writer waits up to a minute for
/// another. An object serves one thread at a time, and must not be used by both sides of a fork.
///
/// Everything throws bad_input, naming the file, where it cannot be opened, read or written, is no
/// store, is damaged, or comes from a later version. Such a file is left as it is.
class ResultStore {
public:
    explicit ResultStore(const std::string& path, StoreOpening opening = StoreOpening::create);
    ~ResultStore();
    ResultStore(ResultStore&&) noexcept;
    ResultStore& operator=(ResultStore&&) noexcept;

    /// The row of that key; nothing where the store has none.
    [[nodiscard]] std::optional<StoredResult> find(const ResultKey& key) const;
    /// Adds a row, or replaces the one of the same key.
    void put(const StoredResult& result);
    /// Adds or replaces all of these rows or, where that fails, none.
    void put(const std::vector<StoredResult>& results);

    /// The matching rows, sorted by operator, shape, padding, device, judge and configuration, then
    /// by the rest of the key. Texts compare byte by byte.
    [[nodiscard]] std::vector<StoredResult> select(const ResultFilter& filter = {}) const;
    /// Calls `visitor` with the rows of select(), one at a time, for stores that do not fit into
    /// memory.
    void visit(const ResultFilter& filter,
               const std::function<void(const StoredResult&)>& visitor) const;
    [[nodiscard]] std::int64_t count(const ResultFilter& filter = {}) const;

    /// Takes over the rows of another store. Of two rows with the same key, the one with the later
    /// time stamp stays. Takes all rows or, where that fails, none.
    MergeCounts merge(const ResultStore& other);
    /// merge() of rows that come from a file.
    MergeCounts merge(const std::vector<StoredResult>& results);

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace texelscope::workbench::store
