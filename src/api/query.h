#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/problem.h"

namespace turnout::api {

/// Resolves %XX; nothing when an escape is broken or the result is not UTF-8.
std::optional<std::string> percent_decoded(std::string_view text);

/// Reads a query string as strictly as a body: each parameter once, known names only. As with JsonReader the first
/// fault stays and reads give their default from then on.
class QueryReader {
 public:
  explicit QueryReader(std::string_view query);

  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t low, std::int64_t high);
  std::optional<double> optional_number(std::string_view name, double low, double high);
  /// Refuses what nobody asked for.
  void finish();

  [[nodiscard]] const std::optional<Problem>& fault() const { return fault_; }

 private:
  struct Parameter {
    std::string name;
    std::string value;
    bool read = false;
  };
  const std::string* find(std::string_view name);
  void refuse(std::string_view name, std::string_view message);

  std::vector<Parameter> parameters_;
  std::optional<Problem> fault_;
};

}  // namespace turnout::api
