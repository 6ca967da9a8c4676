# cmake -DBUILD=DIR -DSCRATCH=DIR -DSOURCE=DIR -DSETTINGS=FILE -DGENERATOR=NAME -P install_and_build.cmake
# Installs BUILD below SCRATCH, moves the installation, and builds and runs the consumer in SOURCE against it.
cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${SCRATCH}/installed")
file(RENAME "${SCRATCH}/installed" "${SCRATCH}/moved") # the package may not remember where it was installed
run(${CMAKE_COMMAND} -S "${SOURCE}" -B "${SCRATCH}/build" -G "${GENERATOR}" -C "${SETTINGS}"
    -DCMAKE_PREFIX_PATH=${SCRATCH}/moved)
run(${CMAKE_COMMAND} --build "${SCRATCH}/build")
run("${SCRATCH}/build/consumer")
run("${SCRATCH}/build/consumer_of_all")
file(REMOVE_RECURSE "${SCRATCH}")
