# cmake -DROOT=DIR -DSCRATCH=DIR -DC_COMPILER=FILE -DCXX_COMPILER=FILE -P check_android_preset.cmake
# The preset agent-android with a stand-in for the NDK (android.toolchain.cmake): it configures, and builds the agent under the
# name that runners look for on an Android machine. The program is one of this machine, and so can be started.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${SCRATCH})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/android.toolchain.cmake DESTINATION ${SCRATCH}/ndk/build/cmake)
set(ENV{ANDROID_NDK_HOME} ${SCRATCH}/ndk)
set(ENV{STAND_IN_C_COMPILER} ${C_COMPILER})
set(ENV{STAND_IN_CXX_COMPILER} ${CXX_COMPILER})
execute_process(COMMAND ${CMAKE_COMMAND} --preset agent-android -B ${SCRATCH}/build -D CMAKE_CXX_FLAGS_RELEASE=-O0
    WORKING_DIRECTORY ${ROOT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build COMMAND_ERROR_IS_FATAL ANY)
set(agent ${SCRATCH}/build/bin/texelscope-agent-android-aarch64)
if(NOT EXISTS ${agent})
    file(GLOB there RELATIVE ${SCRATCH}/build/bin ${SCRATCH}/build/bin/*)
    message(FATAL_ERROR "there is no ${agent}, but: ${there}")
endif()
execute_process(COMMAND ${agent} --version OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "^texelscope-agent [0-9]")
    message(FATAL_ERROR "${agent} --version says: ${said}")
endif()
