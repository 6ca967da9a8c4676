# TEXELSCOPE_FUZZ: everything is compiled for libFuzzer, with the sanitizers on and lines counted; the fuzzers are in tests/fuzz.
if(TEXELSCOPE_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "TEXELSCOPE_FUZZ needs clang++, which has libFuzzer: cmake --preset fuzz")
    endif()
    # One build for both: what a corpus covers is counted in the program that found it.
    add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
                        -fprofile-instr-generate -fcoverage-mapping)
    add_link_options(-fsanitize=address,undefined -fprofile-instr-generate)
endif()
