#include "cli/check.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>

#include "config/advice.h"

namespace turnout::cli {
namespace {

std::string counted(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

int print_problems(const std::vector<config::Problem>& problems, std::ostream& err) {
  for (const config::Problem& problem : problems) err << config::describe(problem) << '\n';
  err << counted(problems.size(), "problem") << '\n';
  return 1;
}

/// "payments, payouts and 3 more"; "-" for a remark about the whole program.
std::string channel_list(const std::vector<std::string>& channels) {
  constexpr std::size_t kShown = 3;
  std::string list = channels.empty() ? "-" : channels[0];
  for (std::size_t i = 1; i < std::min(kShown, channels.size()); ++i) list += ", " + channels[i];
  if (channels.size() > kShown) list += " and " + std::to_string(channels.size() - kShown) + " more";
  return list;
}

using Row = std::array<std::string, 4>;

void print_table(const std::vector<Row>& rows, std::ostream& out) {
  std::array<std::size_t, 3> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out << std::left << std::setw(static_cast<int>(widths[i] + 2)) << row[i];
    }
    out << row.back() << '\n';
  }
}

}  // namespace

int check(const config::Sources& sources, std::ostream& out, std::ostream& err) {
  const config::Loaded loaded = config::load(sources);
  if (!loaded.ok()) return print_problems(loaded.problems, err);
  std::size_t providers = 0;
  for (const auto& [name, channel] : loaded.settings.channels) providers += channel.providers.size();
  out << "configuration is valid: " << counted(loaded.settings.channels.size(), "channel") << ", "
      << counted(providers, "provider") << "\n\n";
  std::vector<Row> rows = {{"channel", "setting", "now", "advice"}};
  for (const config::Advice& advice : config::advise(loaded.settings)) {
    rows.push_back({channel_list(advice.channels), advice.key, advice.value.empty() ? "-" : advice.value, advice.text});
  }
  print_table(rows, out);
  return 0;
}

}  // namespace turnout::cli
