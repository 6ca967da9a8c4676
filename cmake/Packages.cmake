# Debian packages: cpack, in a build of the preset "package" (tools/check_packages does it all, and tries them).
if(SKBUILD OR TEXELSCOPE_PORTABLE)
    return()
endif()

set(CPACK_GENERATOR DEB)
set(TEXELSCOPE_MAINTAINER "Texelscope <texelscope@texelscope.invalid>" CACHE STRING "Whom Debian packages name: Name <mail>")
mark_as_advanced(TEXELSCOPE_MAINTAINER)
set(CPACK_PACKAGE_CONTACT ${TEXELSCOPE_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # else it would be the first line of every package's
set(CPACK_PACKAGE_VENDOR Texelscope)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_COMPONENTS_ALL program agent)

# texelscope_package(component NAME SUMMARY "what it is" [DEPENDS ...] [RECOMMENDS ...] [SECTION ...])
macro(texelscope_package component)
    cmake_parse_arguments(arg "" "NAME;SUMMARY;TEXT;DEPENDS;RECOMMENDS;SECTION" "" ${ARGN})
    string(TOUPPER ${component} key)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${arg_NAME})
    set(CPACK_DEBIAN_${key}_DESCRIPTION "${arg_SUMMARY}\n${arg_TEXT}")
    set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${arg_DEPENDS}")
    set(CPACK_DEBIAN_${key}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}")
    if(arg_SECTION)
        set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${arg_SECTION})
    endif()
    foreach(file copyright changelog.gz)
        install(FILES ${documents}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${arg_NAME} COMPONENT ${component})
    endforeach()
    set(overrides ${PROJECT_SOURCE_DIR}/cmake/packages/${arg_NAME}.lintian-overrides)
    if(EXISTS ${overrides})
        install(FILES ${overrides} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${arg_NAME} COMPONENT ${component})
    endif()
endmacro()

set(documents ${PROJECT_BINARY_DIR}/packages)
configure_file(${PROJECT_SOURCE_DIR}/cmake/packages/changelog.in ${documents}/changelog @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/packages/copyright ${documents}/copyright COPYONLY)
execute_process(COMMAND gzip -9nc ${documents}/changelog OUTPUT_FILE ${documents}/changelog.gz)

set(about "Texelscope shows how GPU kernels read images through the texture cache
of mobile GPUs, and puts an analytical model, a simulator and real OpenCL
runs of a kernel side by side.")
set(same "(= ${PROJECT_VERSION})")
texelscope_package(program NAME texelscope SUMMARY "workbench for the 2D texture memory of mobile GPUs"
    TEXT "${about}\nThis package has the command line, with manual pages and completion."
    DEPENDS "texelscope-agent ${same}" RECOMMENDS "pocl-opencl-icd | opencl-icd")
texelscope_package(agent NAME texelscope-agent SUMMARY "runs OpenCL kernels for Texelscope, here or on another machine"
    TEXT "${about}\nThis package has the program that runs kernels; it needs no library but
an OpenCL driver's."
    RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
if(TARGET texelscope-gui)
    list(APPEND CPACK_COMPONENTS_ALL window)
    texelscope_package(window NAME texelscope-gui SUMMARY "workbench for the 2D texture memory of mobile GPUs, as a window"
        TEXT "${about}\nThis package has the window: heat maps step by step, rankings,
cross-checks, networks."
        DEPENDS "texelscope ${same}")
endif()
if(TEXELSCOPE_PYTHON_PACKAGE)
    list(APPEND CPACK_COMPONENTS_ALL python)
    # Byte code is made when the package is installed, and goes with it.
    set(scripts ${PROJECT_SOURCE_DIR}/cmake/packages/python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${scripts}/postinst ${scripts}/prerm)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
    string(REGEX MATCH "^3\\.[0-9]+" python_version ${TEXELSCOPE_PYTHON_VERSION})
    string(SUBSTRING ${python_version} 2 -1 python_next)
    math(EXPR python_next "${python_next} + 1")
    texelscope_package(python NAME python3-texelscope SUMMARY "workbench for the 2D texture memory of mobile GPUs, for Python"
        TEXT "${about}\nThis package has the Python module: studies, heat maps and traces as
NumPy arrays, searches, networks."
        DEPENDS "texelscope ${same}, python3 (>= ${python_version}), python3 (<< 3.${python_next}), python3-numpy"
        RECOMMENDS "python3-pandas" SECTION python)
endif()
# Manual pages of the programs that have no tables of ours, from their --help.
find_program(TEXELSCOPE_HELP2MAN help2man)
mark_as_advanced(TEXELSCOPE_HELP2MAN)
set(help_agent "run OpenCL kernels for Texelscope")
set(help_gui "workbench for the 2D texture memory of mobile GPUs")
set(component_agent agent)
set(component_gui window)
foreach(program agent gui)
    if(TEXELSCOPE_HELP2MAN AND TARGET texelscope-${program})
        set(page ${documents}/texelscope-${program}.1)
        add_custom_command(OUTPUT ${page}.gz DEPENDS texelscope-${program}
            COMMAND ${CMAKE_COMMAND} -E env QT_QPA_PLATFORM=offscreen QT_LOGGING_RULES=*=false ${TEXELSCOPE_HELP2MAN} --no-info
                    --name ${help_${program}} --output ${page} $<TARGET_FILE:texelscope-${program}>
            COMMAND gzip -9nf ${page}
            VERBATIM)
        add_custom_target(manual-${program} ALL DEPENDS ${page}.gz)
        install(FILES ${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component_${program}} OPTIONAL)
    endif()
endforeach()
execute_process(COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/cmake/packages/texelscope-build-kernel.1
    OUTPUT_FILE ${documents}/texelscope-build-kernel.1.gz)
install(FILES ${documents}/texelscope-build-kernel.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT program)

set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
include(CPack)
