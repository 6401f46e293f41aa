#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/problem.h"
#include "config/settings.h"
#include "core/field.h"

namespace turnout::config {

/// A value as it was given, before anybody knows whether its field accepts it.
struct Given {
  /// What it may mean, the first that fits counts: a value of the file means itself; text of the environment means
  /// itself or, for fields of numbers, what it spells. Empty for a value that no field accepts, such as a date.
  std::vector<core::FieldValue> readings;
  std::string found;  ///< for messages: `3`, `"abc"`, `a table`
  Place place;
};

/// Values by the name of their field.
using GivenFields = std::map<std::string, Given, std::less<>>;

/// The settings while their sources are read one after the other, each over the one before, and all that was found
/// wrong on the way.
class Draft {
 public:
  Settings settings;

  void add_problem(Place place, std::string key, std::string message) {
    problems_.push_back({std::move(place), std::move(key), std::move(message)});
  }

  /// Sets the fields of `target`, which are named below `prefix` ("channels.payments."), in the order of their table.
  /// Fields that replace each other in one source are a problem.
  template <class Target>
  void set_fields(Target& target, const std::string& prefix, std::span<const core::Field<Target>> fields,
                  const GivenFields& given);

  /// Remembers where a key was set last.
  void set_place(std::string key, Place place) { places_.insert_or_assign(std::move(key), std::move(place)); }

  /// Where the key was set last. For a default, the place of the closest table around it that was written, or none.
  [[nodiscard]] Place place_of(std::string_view key) const;

  /// Whether something is wrong already with the key, or with what is in it when it is a table or list.
  [[nodiscard]] bool has_problem(std::string_view key) const;

  /// The problems, those of the file by line, then those of the environment and of the flags in the order they were
  /// found.
  [[nodiscard]] std::vector<Problem> take_problems();

 private:
  std::vector<Problem> problems_;
  std::map<std::string, Place, std::less<>> places_;
};

template <class Target>
void Draft::set_fields(Target& target, const std::string& prefix, std::span<const core::Field<Target>> fields,
                       const GivenFields& given) {
  std::vector<std::string_view> done;
  for (const core::Field<Target>& field : fields) {
    const auto found = given.find(field.name);
    if (found == given.end()) continue;
    const Given& value = found->second;
    const std::string key = prefix + std::string(field.name);
    for (const std::string_view other : field.replaces) {
      if (std::find(done.begin(), done.end(), other) == done.end()) continue;
      add_problem(value.place, key, "cannot be set together with " + std::string(other));
    }
    done.push_back(field.name);
    set_place(key, value.place);
    const auto fits = [&](const core::FieldValue& reading) { return field.set(target, reading).ok(); };
    if (std::none_of(value.readings.begin(), value.readings.end(), fits)) {
      add_problem(value.place, key,
                  std::string("expected ").append(field.expected).append(", found ").append(value.found));
    }
  }
}

}  // namespace turnout::config
