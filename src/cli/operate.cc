#include "cli/operate.h"

#include <spdlog/fmt/fmt.h>

#include <boost/json.hpp>
#include <exception>
#include <functional>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "http/client.h"

namespace turnout::cli {
namespace {

namespace json = boost::json;

/// Ids need no escaping but for their colons, which a path may hold; anything else is the server's to refuse.
std::string path_part(const std::string& id) {
  std::string part;
  for (const char c : id) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._:-").find(c) != std::string::npos;
    part += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return part;
}

/// An answer of the server, as it came and as it reads.
struct Answer {
  std::string text;
  json::value value;
};

/// The server's answer, or nothing and the reason on `err`.
std::optional<Answer> ask(const OperateOptions& options, const std::string& method, const std::string& target,
                          const std::string& body, std::ostream& err) {
  const auto response = http::send({options.server, method, target, body, options.token});
  if (!response) {
    err << response.error().message << '\n';
    return std::nullopt;
  }
  json::error_code broken;
  json::value answer = json::parse(response->body, broken);
  if (response->status / 100 == 2 && !broken) return Answer{response->body, std::move(answer)};
  const auto* object = answer.if_object();
  const auto* detail = object == nullptr ? nullptr : object->if_contains("detail");
  err << options.server << ": " << response->status << ": "
      << (detail != nullptr && detail->is_string() ? std::string(detail->get_string()) : "no answer of Turnout")
      << '\n';
  return std::nullopt;
}

std::optional<std::vector<std::string>> channel_names(const OperateOptions& options, std::ostream& err) {
  if (!options.channel.empty()) return std::vector{options.channel};
  const auto answer = ask(options, "GET", "/v1/channels", "", err);
  if (!answer) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& channel : answer->value.at("channels").as_array())
    names.emplace_back(channel.at("channel").as_string());
  return names;
}

std::string circuit_text(const json::value& provider) {
  std::string text(provider.at("circuit").as_string());
  if (provider.at("manual").as_bool()) text += " (manual)";
  if (!provider.at("enabled").as_bool()) text += " (disabled)";
  return text;
}

void print_row(std::ostream& out, const std::string& channel, const json::value& provider) {
  const auto& p95 = provider.at("p95_ms");
  out << fmt::format("{:<20} {:<24} {:>8.4f} {:>8.2f}% {:>10.1f} {:>8} {:>7.1f}%  {}\n", channel,
                     std::string_view(provider.at("provider").as_string()), provider.at("weight").to_number<double>(),
                     100 * provider.at("success_rate").to_number<double>(), provider.at("total").to_number<double>(),
                     p95.is_null() ? "-" : fmt::format("{:.0f}", p95.to_number<double>()),
                     100 * provider.at("share_last_minute").to_number<double>(), circuit_text(provider));
}

/// Runs `command`; an answer without the fields it reads means that something else than Turnout is listening there.
int with_answers(const OperateOptions& options, std::ostream& err, const std::function<int()>& command) {
  try {
    return command();
  } catch (const std::exception&) {
    err << options.server << ": no answer of Turnout\n";
    return 1;
  }
}

int print_providers(const OperateOptions& options, std::ostream& out, std::ostream& err) {
  const auto channels = channel_names(options, err);
  if (!channels) return 1;
  bool has_header = options.json;
  for (const auto& channel : *channels) {
    const auto answer = ask(options, "GET", "/v1/channels/" + path_part(channel) + "/providers", "", err);
    if (!answer) return 1;
    if (options.json) {
      out << answer->text << '\n';
      continue;
    }
    if (!std::exchange(has_header, true)) {
      out << fmt::format("{:<20} {:<24} {:>8} {:>9} {:>10} {:>8} {:>8}  {}\n", "channel", "provider", "weight",
                         "success", "outcomes", "p95 ms", "share", "circuit");
    }
    for (const auto& provider : answer->value.at("providers").as_array()) print_row(out, channel, provider);
  }
  return 0;
}

}  // namespace

int show_providers(const OperateOptions& options, std::ostream& out, std::ostream& err) {
  return with_answers(options, err, [&] { return print_providers(options, out, err); });
}

int order_circuit(const OperateOptions& options, const std::string& action, std::ostream& out, std::ostream& err) {
  std::optional<DurationMs> lasts;
  if (!options.lasts.empty()) {
    lasts = parse_duration(options.lasts);
    if (!lasts || *lasts < 1 || *lasts > 365 * kDay) {
      err << "--for: expected a duration such as 30m, at most 365d\n";
      return 2;
    }
  }
  std::string body;
  JsonWriter writer(body);
  writer.begin_object().field("action", action);
  if (!options.reason.empty()) writer.field("reason", options.reason);
  if (!options.author.empty()) writer.field("author", options.author);
  if (lasts) writer.field("expires_in_ms", *lasts);
  writer.end_object();
  const std::string target =
      "/v1/channels/" + path_part(options.channel) + "/providers/" + path_part(options.provider) + "/circuit";
  return with_answers(options, err, [&] {
    const auto answer = ask(options, "POST", target, body, err);
    if (!answer) return 1;
    const auto& value = answer->value;
    out << options.channel << ' ' << options.provider << ": " << std::string_view(value.at("circuit").as_string())
        << (value.at("manual").as_bool() ? " (manual)" : "");
    if (lasts && !value.at("expires_at_ms").is_null()) out << " for " << format_duration(*lasts);
    out << '\n';
    return 0;
  });
}

}  // namespace turnout::cli
