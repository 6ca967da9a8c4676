#pragma once

#include "workbench/machines/identified_machines.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::machines {

/// Digest of everything that a search depends on.
[[nodiscard]] std::string search_digest(const MachinesQuestion& question,
                                        const std::vector<Unknown>& unknowns,
                                        const std::vector<MeasuredKernel>& kernels);

/// A state as JSON, and back: it equals the one that was written. parse_search_state() throws
/// bad_input, naming `where`, for a text that is none, or that is of a question with another
/// digest.
[[nodiscard]] std::string search_state_text(const SearchState& state, const std::string& digest);
[[nodiscard]] SearchState parse_search_state(const std::string& text, const std::string& digest,
                                             const std::string& where);

/// The state of a search in a file, which is replaced as a whole.
class KeptSearch {
public:
    KeptSearch(std::string path, std::string digest);

    /// An empty state where there is no file. Throws as parse_search_state() does.
    [[nodiscard]] SearchState read() const;
    void write(const SearchState& state) const;

private:
    std::string path_, digest_; ///< an empty path: nothing is kept
};

} // namespace texelscope::workbench::machines
