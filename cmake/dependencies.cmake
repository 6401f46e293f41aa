# Third-party libraries, each under one name. All come from Debian's packages.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)

add_library(turnout_asio INTERFACE)
add_library(turnout::asio ALIAS turnout_asio)
target_link_libraries(turnout_asio INTERFACE Boost::headers Threads::Threads)
# Coroutines only, header-only, no deprecated names.
# One request nests up to eight coroutines; Asio keeps the memory of only two frames a thread unless told otherwise.
target_compile_definitions(turnout_asio INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_REGEX
                           BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=8)

add_library(turnout_json INTERFACE)
add_library(turnout::json ALIAS turnout_json)
target_link_libraries(turnout_json INTERFACE Boost::json)

add_library(turnout_tls INTERFACE)
add_library(turnout::tls ALIAS turnout_tls)
target_link_libraries(turnout_tls INTERFACE OpenSSL::SSL OpenSSL::Crypto)

add_library(turnout_sqlite INTERFACE)
add_library(turnout::sqlite ALIAS turnout_sqlite)
target_link_libraries(turnout_sqlite INTERFACE SQLite::SQLite3)

if(NOT TARGET CLI11::CLI11)
  add_library(CLI11_headers INTERFACE)
  target_include_directories(CLI11_headers SYSTEM INTERFACE ${CLI11_INCLUDE_DIR})
  add_library(CLI11::CLI11 ALIAS CLI11_headers)
endif()
