#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace turnout::api {

/// The first document of a YAML file as a JSON value: plain scalars that spell null, true, false or a number become
/// that, all others are strings. Throws when the file cannot be read or is no YAML.
boost::json::value read_yaml(const std::string& path);

}  // namespace turnout::api
