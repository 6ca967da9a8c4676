# How the project declares its libraries.

# texelscope_layer(NAME [FOLDER dir] [SOURCES more...] [EXCLUDE regex] [PUBLIC deps...] [PRIVATE deps...])
# A static library texelscope::NAME out of one folder (this one, or `dir` below it): every .cpp file in it but those whose
# path from there matches the regex. Headers are included from the project root: #include "sim/cache/cache.hpp".
function(texelscope_layer name)
    cmake_parse_arguments(arg "" "FOLDER;EXCLUDE" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER})
    texelscope_sources(sources ${folder} "${arg_EXCLUDE}")
    add_library(texelscope_${name} STATIC ${sources} ${arg_SOURCES})
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

# texelscope_sources(RESULT folder [EXCLUDE-REGEX]): the .cpp files below a folder.
function(texelscope_sources result folder)
    file(GLOB_RECURSE sources RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/*.cpp)
    if(NOT "${ARGN}" STREQUAL "")
        list(FILTER sources EXCLUDE REGEX "${ARGN}")
    endif()
    list(TRANSFORM sources PREPEND ${folder}/)
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(texelscope_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion)
    if(NOT TEXELSCOPE_UNITY) # else it sees names of other files
        target_compile_options(${target} PRIVATE -Wshadow)
    endif()
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
