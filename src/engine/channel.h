#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/arm.h"
#include "core/breaker_transitions.h"
#include "engine/activity.h"

namespace turnout::engine {

/// Lets maps keyed by std::string be asked with a std::string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

template <class Value>
using TextMap = boost::unordered_flat_map<std::string, Value, TextHash, std::equal_to<>>;

/// Where a channel comes from.
enum class Origin : std::uint8_t { file, override_ };

/// A channel's settings in force and what follows from them alone. Immutable once made.
struct ChannelLayout {
  core::ChannelSettings settings;
  Origin origin = Origin::file;
  std::vector<std::shared_ptr<ProviderActivity>> activity;  ///< one per provider
  TextMap<core::ProviderIndex> positions;                   ///< provider id → position
  std::vector<std::string> json_ids;  ///< the provider's id as a JSON string, since every answer names them all

  [[nodiscard]] std::optional<core::ProviderIndex> find(std::string_view provider) const {
    const auto found = positions.find(provider);
    return found == positions.end() ? std::nullopt : std::optional(found->second);
  }
};

/// What a decision reads: the layout and one view per provider. Immutable once published.
struct Snapshot {
  std::shared_ptr<const ChannelLayout> layout;
  std::vector<core::ProviderView> providers;

  [[nodiscard]] const core::ChannelSettings& settings() const { return layout->settings; }
};

/// One channel at run time: the published snapshot, replaced as a whole. Thread-safe. Readers keep what they got and
/// look at version() to see whether there is a newer one.
class Channel {
 public:
  Channel(std::string name, std::size_t workers) : name_(std::move(name)), workers_(workers) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;

  /// Publishes new settings with the arms read for them, unless settings with a higher sequence were published already.
  /// A provider whose view is newer than its arm keeps its view. False when it was too old.
  bool install(core::ChannelSettings settings, Origin origin, std::uint64_t sequence,
               const std::vector<core::Arm>& arms, TimeMs now);

  /// Publishes a provider's arm as it is now, unless a newer one was published. Does nothing for a provider that is not
  /// there.
  void update(std::string_view provider, const core::Arm& arm, TimeMs now);

  /// Takes a probe in this process alone, for when the store cannot be asked; the breaker afterwards. What the store
  /// publishes next replaces it. A provider that is not there has a fresh breaker.
  core::Breaker take_probe(std::string_view provider, const core::TakeProbe& probe, TimeMs now);

  /// The same as update() for all providers at once, in the order of `snapshot`, when the layout has not changed since.
  void refresh(const Snapshot& snapshot, const std::vector<core::Arm>& arms, TimeMs now);

  void count_no_provider() noexcept { no_provider_.fetch_add(1, std::memory_order_relaxed); }
  void count_duplicate() noexcept { duplicates_.fetch_add(1, std::memory_order_relaxed); }
  void count_late() noexcept { late_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t no_provider() const noexcept { return no_provider_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t duplicates() const noexcept { return duplicates_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t late() const noexcept { return late_.load(std::memory_order_relaxed); }

 private:
  void publish(std::shared_ptr<const Snapshot> snapshot);

  const std::string name_;
  const std::size_t workers_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::uint64_t sequence_ = 0;
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> no_provider_{0};
  std::atomic<std::uint64_t> duplicates_{0};
  std::atomic<std::uint64_t> late_{0};
};

}  // namespace turnout::engine
