# Everything that Texelscope takes from the system; all of it is in Debian 12 (packages.txt).

find_program(TEXELSCOPE_CCACHE ccache)
mark_as_advanced(TEXELSCOPE_CCACHE)
if(TEXELSCOPE_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TEXELSCOPE_CCACHE})
endif()

if(TEXELSCOPE_PORTABLE)
    set(Boost_USE_STATIC_LIBS ON)
    set(ZLIB_USE_STATIC_LIBS ON)
    list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
    add_link_options(-static-libstdc++ -static-libgcc)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS iostreams)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
find_package(nanoflann 1.4 REQUIRED)
find_package(pugixml 1.12 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2 REQUIRED)
find_package(PNG REQUIRED)
find_package(SQLite3 3.37 REQUIRED) # strict tables
find_path(TEXELSCOPE_ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(TEXELSCOPE_ZSTD zstd REQUIRED)
mark_as_advanced(TEXELSCOPE_ZSTD TEXELSCOPE_ZSTD_INCLUDE_DIR)
find_package(OpenCLHeaders REQUIRED) # before OpenCLHeadersCpp, whose package file needs its target
find_package(OpenCLHeadersCpp REQUIRED)
find_package(OpenCL 1.2 REQUIRED) # the ICD loader: OpenCL::OpenCL
set(OPENCL_LOADER OpenCL::OpenCL)

if(TEXELSCOPE_PORTABLE)
    # Debian has no static fmt; its headers hold all of it.
    find_path(TEXELSCOPE_FMT_INCLUDE_DIR fmt/core.h REQUIRED)
    mark_as_advanced(TEXELSCOPE_FMT_INCLUDE_DIR)
    add_library(fmt::fmt INTERFACE IMPORTED)
    target_include_directories(fmt::fmt INTERFACE ${TEXELSCOPE_FMT_INCLUDE_DIR})
    target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)

    set_target_properties(pugixml::pugixml PROPERTIES INTERFACE_LINK_LIBRARIES pugixml::static)

    # What CMake's search for SQLite does not name of what a static one needs.
    target_link_libraries(SQLite::SQLite3 INTERFACE Threads::Threads m)

    # Boost's package file does not name what its static Iostreams needs.
    find_package(ZLIB REQUIRED)
    find_package(BZip2 REQUIRED)
    find_package(LibLZMA REQUIRED)
    target_link_libraries(Boost::iostreams INTERFACE ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA ${TEXELSCOPE_ZSTD})
else()
    find_package(fmt 9 REQUIRED)
endif()

# What is optional: each part either is there or says why not (StatusLine.cmake).
if(TEXELSCOPE_GUI)
    find_package(Qt6 6.4 QUIET COMPONENTS Widgets Concurrent Test)
    if(NOT Qt6_FOUND)
        set(TEXELSCOPE_GUI OFF)
        set(TEXELSCOPE_GUI_REASON "Qt 6 was not found; install qt6-base-dev")
    endif()
else()
    set(TEXELSCOPE_GUI_REASON "TEXELSCOPE_GUI is off")
endif()

if(TEXELSCOPE_BENCHMARKS)
    find_package(benchmark QUIET)
    if(NOT benchmark_FOUND)
        set(TEXELSCOPE_BENCHMARKS OFF)
        set(TEXELSCOPE_BENCHMARKS_REASON "Google Benchmark was not found; install libbenchmark-dev")
    endif()
else()
    set(TEXELSCOPE_BENCHMARKS_REASON "TEXELSCOPE_BENCHMARKS is off")
endif()

if(TEXELSCOPE_TESTS)
    find_package(Catch2 2.13 QUIET)
    if(NOT Catch2_FOUND)
        set(TEXELSCOPE_TESTS OFF)
        set(TEXELSCOPE_TESTS_REASON "Catch2 2.13 was not found; install catch2")
    endif()
else()
    set(TEXELSCOPE_TESTS_REASON "TEXELSCOPE_TESTS is off")
endif()

# The plugin that records the image reads of any OpenCL program is loaded by Oclgrind and built against its headers.
find_path(TEXELSCOPE_OCLGRIND_INCLUDE_DIR oclgrind/Plugin.h)
find_library(TEXELSCOPE_OCLGRIND_LIBRARY oclgrind)
mark_as_advanced(TEXELSCOPE_OCLGRIND_INCLUDE_DIR TEXELSCOPE_OCLGRIND_LIBRARY)
set(TEXELSCOPE_CAPTURE OFF)
if(TEXELSCOPE_PORTABLE)
    set(TEXELSCOPE_CAPTURE_REASON "it belongs to the Oclgrind of one machine; TEXELSCOPE_PORTABLE is on")
elseif(TEXELSCOPE_FUZZ)
    set(TEXELSCOPE_CAPTURE_REASON "TEXELSCOPE_FUZZ is on")
elseif(TEXELSCOPE_OCLGRIND_INCLUDE_DIR AND TEXELSCOPE_OCLGRIND_LIBRARY)
    set(TEXELSCOPE_CAPTURE ON)
else()
    set(TEXELSCOPE_CAPTURE_REASON "Oclgrind's headers were not found; install liboclgrind-dev and oclgrind")
endif()
