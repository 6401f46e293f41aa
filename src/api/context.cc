#include "api/context.h"

namespace turnout::api {

bool Call::may_use(std::string_view channel) const {
  if (token == nullptr || token->may_use(channel)) return true;
  refuse({403, "forbidden", "the token does not reach this channel"});
  return false;
}

bool Call::may_use_all_channels() const {
  if (token == nullptr || token->channels.empty()) return true;
  refuse({403, "forbidden", "this call is for tokens that reach all channels"});
  return false;
}

std::string Call::author(std::string_view said) const {
  if (token != nullptr) return token->name;
  return std::string(said.empty() ? request->peer_address : said);
}

std::shared_ptr<engine::Channel> channel_of(const Context& context, const Call& call) {
  if (!call.may_use(call.parameters[0])) return nullptr;
  auto channel = context.services.channels.find(call.parameters[0]);
  if (!channel) call.refuse({404, "unknown_channel", "there is no such channel"});
  return channel;
}

std::optional<core::ProviderIndex> provider_of(const engine::Snapshot& snapshot, const Call& call) {
  const auto position = snapshot.layout->find(call.parameters[1]);
  if (!position) call.refuse({404, "unknown_provider", "the channel has no such provider"});
  return position;
}

}  // namespace turnout::api
