#pragma once

#include "traces/formats/trace_rows.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::traces {

/// Reads the plain CSV format, gzip-compressed or not (told by the first two bytes). Images come
/// from `declared` (`--image`) and from `#image ID:WIDTHxHEIGHTxBYTES` comment lines, which
/// write_csv() leaves; `declared` wins. `address_mode` is that of the images which the file
/// declares. Throws bad_input with file and line for anything malformed, an image that nobody
/// declared, or a duplicate.
[[nodiscard]] std::unique_ptr<TraceSource> read_csv(const std::string& path,
                                                    const std::vector<Image>& declared,
                                                    AddressMode address_mode = AddressMode::border);
[[nodiscard]] std::unique_ptr<TraceSource> read_csv(std::istream& in, const std::string& name,
                                                    const std::vector<Image>& declared,
                                                    AddressMode address_mode = AddressMode::border);

/// Writes a source in the plain format, groups and warps ascending, within a warp by step and lane.
/// Reads outside of their image are written as they are. Returns the number of rows. Throws
/// bad_input, before anything is written, where an image has a name that could not be read again.
std::int64_t write_csv(std::ostream& out, const TraceSource& source);

} // namespace texelscope::traces
