#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace turnout::config {

/// A remark about settings that are valid.
struct Advice {
  std::vector<std::string> channels;  ///< those it is true of, in order; empty: the whole program
  std::string key;                    ///< what it is about: `sweep_interval`, `server.tls_cert`
  std::string value;                  ///< what it is now
  std::string text;                   ///< what that suits, or what may go wrong

  friend bool operator==(const Advice&, const Advice&) = default;
};

/// What an engineer who knows the engine would say about the settings: first about the program, then about channels,
/// which share a remark when everything in it is the same. For every channel it says what kind of traffic the sweep
/// interval, epsilon and the breaker's threshold suit (docs/configuration.md, "Recommended values"). Pure.
std::vector<Advice> advise(const Settings& settings);

}  // namespace turnout::config
