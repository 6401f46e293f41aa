#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "config/advice.h"
#include "config/loader.h"
#include "core/channel_fields.h"

namespace turnout::config {
namespace {

/// Settings without problems can be put in force, and every problem can be shown.
void judge(const Loaded& loaded) {
  for (const Problem& problem : loaded.problems) TURNOUT_ASSERT(!describe(problem).empty());
  if (!loaded.ok()) return;
  TURNOUT_ASSERT(loaded.settings.channels.size() <= core::kMaxChannels);
  for (const auto& [name, channel] : loaded.settings.channels) TURNOUT_ASSERT(core::contradictions(channel).empty());
  for (const Advice& advice : advise(loaded.settings)) TURNOUT_ASSERT(!advice.text.empty());
}

}  // namespace
}  // namespace turnout::config

/// The bytes as a file, as lists in the environment, and as a key on the command line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnout::config;
  const std::string text(reinterpret_cast<const char*>(data), size);
  judge(load_text(text, "fuzz.toml"));
  Sources sources;
  sources.environment["TURNOUT_TOKENS"] = text;
  sources.environment["TURNOUT_CHANNELS_PAYMENTS_PROVIDERS"] = text;
  sources.flags.set.push_back(text);
  judge(load(sources));
  return 0;
}
