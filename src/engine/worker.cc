#include "engine/worker.h"

#include <algorithm>

namespace turnout::engine {

void DurationHistogram::add(std::int64_t nanoseconds) {
  const double seconds = static_cast<double>(nanoseconds) * 1e-9;
  const auto bucket =
      static_cast<std::size_t>(std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin());
  constexpr auto kRelaxed = std::memory_order_relaxed;
  counts_[bucket].store(counts_[bucket].load(kRelaxed) + 1, kRelaxed);
  nanoseconds_.store(nanoseconds_.load(kRelaxed) + nanoseconds, kRelaxed);
}

const Worker::View* Worker::view(std::string_view channel) {
  if (const auto version = channels_.version(); version != channels_version_) {
    entries_.clear();
    channels_version_ = version;
  }
  auto found = entries_.find(channel);
  if (found == entries_.end()) {
    auto owner = channels_.find(channel);
    if (!owner) return nullptr;
    Entry entry{{std::move(owner), nullptr}, 0};
    found = entries_.emplace(std::string(channel), std::move(entry)).first;
  }
  Entry& entry = found->second;
  // Read before the snapshot: if a newer one comes in between, the next call fetches again.
  if (const auto version = entry.view.channel->version(); version != entry.version) {
    entry.view.snapshot = entry.view.channel->snapshot();
    entry.version = version;
  }
  return &entry.view;
}

}  // namespace turnout::engine
