#include "api/endpoints.h"
#include "api/setting_fields.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace turnout::api {
namespace {

void write_channel(JsonWriter& json, const Services& services, const engine::Channel& channel) {
  const auto snapshot = channel.snapshot();
  const bool from_file = snapshot->layout->origin == engine::Origin::file;
  json.begin_object().field("channel", channel.name()).field("origin", from_file ? "file" : "override");
  json.key("overridden").begin_array();
  for (const auto& [name, text] : services.channels.overrides(channel.name())) {
    if (core::find_channel_field(name) != nullptr || name.starts_with("provider/")) json.value(name);
  }
  json.end_array();
  write_channel_fields(json, snapshot->settings());
  json.end_object();
}

void respond_with(const Context& context, const Call& call, const engine::Channel& channel) {
  JsonWriter json(call.response->body);
  write_channel(json, context.services, channel);
}

/// The body of the request read into `settings`; nothing, and a refusal, when it is faulty.
std::optional<FieldTexts> read_fields(Context& context, const Call& call, core::ChannelSettings& settings,
                                      bool providers) {
  const DocumentPool::Document document(context.documents);
  JsonFault fault;
  document->parse(call.request->body, fault);
  JsonReader in(*document, fault);
  auto texts = read_channel_fields(in, settings, providers);
  if (!fault.happened()) return texts;
  call.refuse(problem_of(fault));
  return std::nullopt;
}

}  // namespace

Awaitable<void> list_channels(Context& context, Call call) {
  JsonWriter json(call.response->body);
  json.begin_object().key("channels").begin_array();
  for (const auto& channel : context.services.channels.all()) {
    if (call.token == nullptr || call.token->may_use(channel->name())) write_channel(json, context.services, *channel);
  }
  json.end_array().end_object();
  co_return;
}

Awaitable<void> get_channel(Context& context, Call call) {
  if (const auto channel = channel_of(context, call)) respond_with(context, call, *channel);
  co_return;
}

Awaitable<void> put_channel(Context& context, Call call) {
  const auto& services = context.services;
  const std::string name = call.parameters[0];
  if (!is_id(name)) co_return call.refuse({400, "invalid_request", "the channel's name is no id"});
  if (!call.may_use(name)) co_return;
  const bool exists = services.channels.find(name) != nullptr;
  if (!exists && services.channels.size() >= core::kMaxChannels) {
    co_return call.refuse({409, "too_many_channels", "there are 10000 channels already"});
  }
  core::ChannelSettings settings;
  if (!read_fields(context, call, settings, true)) co_return;
  const auto done = co_await services.operations.put_channel(name, std::move(settings), call.author(), call.now);
  if (!done) co_return call.refuse(store_problem(done.error().message));
  const auto channel = services.channels.find(name);
  if (!channel) co_return call.refuse({404, "unknown_channel", "the channel was removed meanwhile"});
  call.response->status = exists ? 200 : 201;
  respond_with(context, call, *channel);
}

Awaitable<void> patch_channel(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  core::ChannelSettings settings = channel->snapshot()->settings();
  auto texts = read_fields(context, call, settings, false);
  if (!texts) co_return;
  if (!texts->empty()) {
    const auto done =
        co_await context.services.operations.patch_channel(channel, std::move(*texts), call.author(), call.now);
    if (!done) co_return call.refuse(store_problem(done.error().message));
  }
  respond_with(context, call, *channel);
}

Awaitable<void> delete_channel(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  if (context.services.channels.configured(channel->name())) {
    co_return call.refuse({409, "channel_of_file", "the channel stands in the configuration file: remove it there"});
  }
  const auto done = co_await context.services.operations.remove_channel(channel->name());
  if (!done) co_return call.refuse(store_problem(done.error().message));
  context.services.log.forget(channel->name());
  call.response->status = 204;
}

}  // namespace turnout::api
