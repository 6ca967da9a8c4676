#include "base/sha256.hpp"

#include <catch2/catch.hpp>

using texelscope::base::sha256;

TEST_CASE("SHA-256 of the standard's examples")
{
    // FIPS 180-4's examples and NIST's test vectors.
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1'000'000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK(sha256(std::string("\xbd", 1)) ==
          "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
}

TEST_CASE("SHA-256 of all lengths around the ends of a block")
{
    // The digest of all digests of lengths 0 to 200, as Python's hashlib gives it:
    //   sha256("".join(sha256(bytes(i * 7 % 256 for i in range(n))).hexdigest() for n in
    //   range(201)).encode())
    std::string all;
    for (std::size_t length = 0; length <= 200; ++length) {
        std::string bytes;
        for (std::size_t i = 0; i < length; ++i) {
            bytes += static_cast<char>(i * 7 % 256);
        }
        all += sha256(bytes);
    }
    CHECK(sha256(all) == "020088e9c26b95faf20594b4a5301fc5493cad4e2e0e002a0233825ae81dbd5f");
}
