# cmake -DPROGRAM=FILE -DSTRIP=FILE -DSCRATCH=DIR -P check_size.cmake
# Fails where the program, stripped, has 3 MB or more: it is copied to phones, over cables and air.
cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY ${SCRATCH})
set(stripped ${SCRATCH}/texelscope-agent)
execute_process(COMMAND "${STRIP}" -o ${stripped} "${PROGRAM}" COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${stripped} bytes)
if(bytes GREATER_EQUAL 3000000)
    message(FATAL_ERROR "${PROGRAM} has ${bytes} bytes when stripped, and is to have less than 3 MB")
endif()
message(STATUS "${PROGRAM} has ${bytes} bytes when stripped")
