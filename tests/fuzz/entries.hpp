#pragma once

#include <string_view>

// What the fuzzers run, and what the tests replay the corpora through. Each takes any bytes and returns whether they
// were good input (true) or were refused as bad input (false). Throws std::logic_error where something that holds for
// all good input does not hold; any other exception is a finding, too.

namespace texelscope::fuzz {

/// First line: a layout. Up to three more bytes: width and height of an image, bytes per texel. Layouts print and parse
/// back; every texel has a place of its own inside of the image's size; the period holds.
bool layout(std::string_view input);

/// A trace in the plain format. What is read can be written and read again to the same text.
bool csv(std::string_view input);

/// A device profile. What is read can be written as XML and read again to the same profile.
bool profile(std::string_view input);

/// A native trace, whole and salvaged: whatever the bytes, its steps can be walked over or are refused.
bool native(std::string_view input);

/// Address records of DineroIV (text and binary) and of libCacheSim. What is read can be written and read again.
bool din(std::string_view input);
bool din_binary(std::string_view input);
bool oracle_general(std::string_view input);

/// An ONNX model. What is read has shapes that fit; what is written can be read again.
bool onnx(std::string_view input);

/// An Accel-Sim kernel trace.
bool traceg(std::string_view input);

} // namespace texelscope::fuzz
