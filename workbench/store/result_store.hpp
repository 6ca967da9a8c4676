#pragma once

#include "workbench/store/stored_result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// What rows must have; an empty member holds for every row.
struct ResultFilter {
    std::string op;
    std::string shape; ///< as on the command line: 64,64,64
    std::string padding;
    std::string device;
    std::string judge;
    std::string driver;
    std::string program;
    std::string settings; ///< the first digits of the digest
};

/// Whether a store that is not there is made.
enum class StoreOpening { create, existing };

/// What became of rows that were merged.
struct MergeCounts {
    std::int64_t added = 0;
    std::int64_t replaced = 0; ///< by a row of a later time stamp
    std::int64_t kept = 0;     ///< the same or a later row was there
};

/// Judged configurations in one SQLite file, one row for each ResultKey. A row that was put is
/// there for good, whatever becomes of the process or the machine. Several processes may read and
/// write one file at once; a writer waits up to a minute for another. An object serves one thread
/// at a time and must not be used by both sides of a fork. Everything throws bad_input, naming the
/// file: where it cannot be opened, read or written, is no store or is damaged, or comes from a
/// later version; such a file is left as it is.
class ResultStore {
public:
    explicit ResultStore(const std::string& path, StoreOpening opening = StoreOpening::create);
    ~ResultStore();
    ResultStore(ResultStore&&) noexcept;
    ResultStore& operator=(ResultStore&&) noexcept;

    /// The row of that key; nothing where it was never judged.
    [[nodiscard]] std::optional<StoredResult> find(const ResultKey& key) const;
    /// Adds a row, or replaces the one of the same key.
    void put(const StoredResult& result);
    /// All of them or, where that fails, none.
    void put(const std::vector<StoredResult>& results);

    /// Rows by operator, shape, padding, device, judge and configuration, then by the rest of the
    /// key, as bytes compare.
    [[nodiscard]] std::vector<StoredResult> select(const ResultFilter& filter = {}) const;
    /// The same one at a time, for stores that do not fit the memory.
    void visit(const ResultFilter& filter,
               const std::function<void(const StoredResult&)>& visitor) const;
    [[nodiscard]] std::int64_t count(const ResultFilter& filter = {}) const;

    /// Takes over the rows of another store; of two rows with the same key the one with the later
    /// time stamp stays. All of them or, where that fails, none.
    MergeCounts merge(const ResultStore& other);
    /// The same with rows that come from a file.
    MergeCounts merge(const std::vector<StoredResult>& results);

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace texelscope::workbench::store
