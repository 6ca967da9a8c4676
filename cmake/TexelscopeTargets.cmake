# How the project declares its libraries.

# texelscope_layer(NAME SOURCES... [PUBLIC deps...] [PRIVATE deps...])
# A static library texelscope::NAME out of one top-level folder. Headers are included from the project root:
# #include "sim/cache.hpp".
function(texelscope_layer name)
    cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(texelscope_${name} STATIC ${arg_SOURCES})
    add_library(texelscope::${name} ALIAS texelscope_${name})
    set_target_properties(texelscope_${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME texelscope_${name})
    target_include_directories(texelscope_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/texelscope>)
    target_compile_features(texelscope_${name} PUBLIC cxx_std_20)
    target_link_libraries(texelscope_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    texelscope_warnings(texelscope_${name})
    set_property(GLOBAL APPEND PROPERTY TEXELSCOPE_LAYERS ${name})
endfunction()

function(texelscope_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # g++ 12 reports both at -O3 for code that is right: -Wrestrict for "x" + std::string (GCC bug 105651), and
        # -Wmaybe-uninitialized for the clean-up of a half-built aggregate. -Wuninitialized stays on.
        target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
    endif()
endfunction()

# For code that is not worth optimising (argument parsing, tests): halves what it takes to compile.
function(texelscope_compile_fast target)
    target_compile_options(${target} PRIVATE -O1)
endfunction()
