#include "store/memory/channel_table.h"

namespace turnout::store {

LockedChannel* ChannelTable::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = channels_.find(name);
  return found == channels_.end() ? nullptr : found->second.get();
}

LockedChannel& ChannelTable::get(std::string_view name) {
  if (LockedChannel* channel = find(name)) return *channel;
  const std::unique_lock lock(mutex_);
  auto& channel = channels_[std::string(name)];
  if (!channel) channel = std::make_unique<LockedChannel>(name, journaling_);
  return *channel;
}

std::vector<LockedChannel*> ChannelTable::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<LockedChannel*> channels;
  channels.reserve(channels_.size());
  for (const auto& [name, channel] : channels_) channels.push_back(channel.get());
  return channels;
}

}  // namespace turnout::store
