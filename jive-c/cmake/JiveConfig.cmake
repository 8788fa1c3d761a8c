# find_package(Jive) gives the targets Jive::jive (static) and Jive::shared.
#
# The folder of this file is PREFIX/lib/cmake/Jive: PREFIX/include has jive.h, and PREFIX/lib the libraries.
get_filename_component(_jive_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET Jive::jive)
  add_library(Jive::jive STATIC IMPORTED)
  set_target_properties(Jive::jive PROPERTIES
    IMPORTED_LOCATION "${_jive_prefix}/lib/libjive_c.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_jive_prefix}/include")
  if(UNIX AND NOT APPLE AND NOT CMAKE_SYSTEM_NAME STREQUAL "Generic")
    set_target_properties(Jive::jive PROPERTIES INTERFACE_LINK_LIBRARIES "pthread;dl;m")
  endif()
endif()

if(NOT TARGET Jive::shared AND EXISTS "${_jive_prefix}/lib/libjive_c.so")
  add_library(Jive::shared SHARED IMPORTED)
  set_target_properties(Jive::shared PROPERTIES
    IMPORTED_LOCATION "${_jive_prefix}/lib/libjive_c.so"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${_jive_prefix}/include")
endif()

unset(_jive_prefix)
