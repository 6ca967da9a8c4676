#pragma once

#include "base/layers.hpp"

#include <boost/iostreams/categories.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ios>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace texelscope::base {

/// Throws bad_input, naming `name`, where much more comes out of packed bytes than any text packs
/// to, for whoever reads it may keep all of it: over 64 MiB and 4,096 times what went in.
/// `program` unpacks without a bound.
void check_unpacked(std::uint64_t unpacked, std::uint64_t packed, const std::string& name,
                    const std::string& program);

/// Unpacks zstd frames that `in` holds one after the other, as a source of Boost.Iostreams. Unlike
/// the filter there, it throws std::ios_base::failure where the last frame is cut off. Throws
/// what check_unpacked() throws.
class ZstdSource {
public:
    using char_type = char;
    using category = boost::iostreams::source_tag;

    /// `in` must outlive this.
    explicit ZstdSource(std::istream& in, std::string name = {});
    std::streamsize read(char* bytes, std::streamsize count);

private:
    struct State;
    std::shared_ptr<State> state_; ///< Boost copies what it is given
};

/// Packs what it is given into one zstd frame with a checksum of its contents, which the filter of
/// Boost.Iostreams has no setting for.
class ZstdWriter {
public:
    using Sink = std::function<void(std::string_view)>;
    explicit ZstdWriter(Sink sink);
    ~ZstdWriter();
    ZstdWriter(const ZstdWriter&) = delete;
    ZstdWriter& operator=(const ZstdWriter&) = delete;

    void write(std::string_view bytes);
    /// Ends the frame.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace texelscope::base
