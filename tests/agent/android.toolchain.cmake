# In place of the NDK's file of this name, which Debian does not have: sets what that one sets and Texelscope goes by, with this
# machine's compiler behind it. The version 1 tells CMake, as the NDK does, that the file knows the compilers itself.
if(NOT ANDROID_ABI STREQUAL "arm64-v8a" OR NOT ANDROID_PLATFORM STREQUAL "android-26" OR NOT ANDROID_STL STREQUAL "c++_static")
    message(FATAL_ERROR "the preset gives ANDROID_ABI '${ANDROID_ABI}', ANDROID_PLATFORM '${ANDROID_PLATFORM}' and "
        "ANDROID_STL '${ANDROID_STL}'")
endif()
# CMake reads this file again for its trial programs, without the cache.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ANDROID_ABI ANDROID_PLATFORM ANDROID_STL)
set(CMAKE_SYSTEM_NAME Android)
set(CMAKE_SYSTEM_VERSION 1)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(ANDROID TRUE)
set(CMAKE_ANDROID_ARCH_ABI ${ANDROID_ABI})
set(CMAKE_C_COMPILER $ENV{STAND_IN_C_COMPILER})
set(CMAKE_CXX_COMPILER $ENV{STAND_IN_CXX_COMPILER})
# Libraries and headers are looked for in the NDK alone, so that /usr/include is not found by chance.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
