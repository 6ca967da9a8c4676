#pragma once

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <sstream>
#include <string>

namespace texelscope::test {

/// The text as gzip packs it.
inline std::string in_gzip(const std::string& text)
{
    std::ostringstream packed;
    boost::iostreams::filtering_ostream out;
    out.push(boost::iostreams::gzip_compressor());
    out.push(packed);
    out << text;
    out.reset();
    return packed.str();
}

} // namespace texelscope::test
