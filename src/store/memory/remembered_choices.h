#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "store/memory/expiring_fingerprints.h"

namespace turnout::store {

/// A provider's number among the choices of a channel.
struct NumberedProvider {
  std::uint64_t number = 0;
  std::string provider;
};

/// What changed in a RememberedChoices.
struct ChoiceChanges {
  std::vector<NumberedProvider> new_providers;
  FingerprintChanges fingerprints;

  [[nodiscard]] bool empty() const { return new_providers.empty() && fingerprints.empty(); }
};

/// Which provider each transaction of a channel got. Providers are numbered as they come; a number takes the place of
/// the lowest 16 bits of a key, so that a choice takes no more room than a final attempt. Two of 2 × 10^7 remembered
/// keys are the same in the other 48 bits for a new one with a chance of 7.1 × 10^−8. Not thread-safe.
class RememberedChoices {
 public:
  /// Choices kept at most, the oldest go first; as many as final attempts by default.
  static constexpr std::size_t kMaxCount = 20'000'000;

  explicit RememberedChoices(Journaling journaling) : journaling_(journaling), fingerprints_(kNumberBits, journaling) {}

  /// Forgets what is older than `keep_for_ms`.
  void forget(DurationMs keep_for_ms, TimeMs now) { fingerprints_.apply({keep_for_ms, kMaxCount}, now); }

  /// Valid until the next change.
  [[nodiscard]] std::optional<std::string_view> find(std::uint64_t key, TimeMs now) const;

  /// Remembers a choice in place of any earlier one. A channel in which 65 536 providers were chosen remembers no
  /// further ones.
  void put(std::uint64_t key, std::string_view provider, TimeMs now);

  /// Puts what an earlier process knew back: all providers, then the fingerprints.
  void restore(const NumberedProvider& provider) { add_provider(provider); }
  [[nodiscard]] ExpiringFingerprints& fingerprints() { return fingerprints_; }

  void clear();

  ChoiceChanges take_changes() { return {std::exchange(new_providers_, {}), fingerprints_.take_changes()}; }

 private:
  static constexpr unsigned kNumberBits = 16;

  void add_provider(NumberedProvider provider);

  Journaling journaling_;
  ExpiringFingerprints fingerprints_;
  std::map<std::uint64_t, std::string> provider_of_;
  std::map<std::string, std::uint64_t, std::less<>> number_of_;
  std::vector<NumberedProvider> new_providers_;
};

}  // namespace turnout::store
