# How the project declares its libraries and programs.

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

# texelscope_program(NAME SOURCES... [LIBS...])
# A program build/<preset>/bin/NAME, installed, and part of the target `programs`.
function(texelscope_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_LIBS})
    texelscope_warnings(${name})
    add_dependencies(programs ${name})
    set_property(GLOBAL APPEND PROPERTY TEXELSCOPE_PROGRAMS ${name})
endfunction()

# Every program that is installed, without the tests: `cmake --build --preset dev --target programs`.
add_custom_target(programs)

function(texelscope_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
endfunction()
