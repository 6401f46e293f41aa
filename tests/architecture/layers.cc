#include "architecture/layers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

namespace turnout::architecture {
namespace {

constexpr std::array<std::string_view, 2> kBackendUsers = {"cli", "sim"};

constexpr std::array<std::string_view, 16> kImpureHeaders = {
    "chrono",    "condition_variable", "cstdio",  "ctime",     "filesystem", "fstream",
    "future",    "iostream",           "istream", "mutex",     "ostream",    "random",
    "semaphore", "shared_mutex",       "thread",  "stop_token"};

/// Headers of base/ that bring in coroutines or a generator.
constexpr std::array<std::string_view, 2> kImpureBaseHeaders = {"base/awaitable.h", "base/random.h"};

/// What needs no header of its own, or one that others bring along.
constexpr std::array<std::string_view, 9> kImpureNames = {
    "system_clock", "steady_clock", "random_device", "mt19937", "printf", "cout", "cerr", "getenv", "srand"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// The layer with the longest folder that holds `path`, which is below src/.
const Layer* layer_of(std::string_view path, const std::vector<Layer>& layers) {
  const Layer* best = nullptr;
  for (const Layer& layer : layers) {
    if (!path.starts_with(layer.folder + "/")) continue;
    if (best == nullptr || layer.folder.size() > best->folder.size()) best = &layer;
  }
  return best;
}

std::string at(const SourceFile& file, const Include& include) {
  return file.path + ":" + std::to_string(include.line) + " includes " + include.target;
}

std::optional<std::string> check_quoted(const Include& include, const Layer& layer, const std::vector<Layer>& layers) {
  const Layer* owner = layer_of(include.target, layers);
  if (owner == nullptr) return ", which belongs to no layer";
  if (owner->name == layer.name || layer.dependencies.contains(owner->name)) return std::nullopt;
  return ", but " + layer.name + " does not depend on " + owner->name;
}

bool is_standard_header(std::string_view name) {
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

bool is_pure_include(const Include& include) {
  if (!include.quoted) return is_standard_header(include.target) && !contains(kImpureHeaders, include.target);
  if (contains(kImpureBaseHeaders, include.target)) return false;
  return include.target.starts_with("core/") || include.target.starts_with("base/");
}

}  // namespace

std::vector<Layer> parse_layers(std::string_view text) {
  std::vector<Layer> layers;
  for (const std::string& line : split_lines(text)) {
    std::istringstream words(line);
    Layer layer;
    words >> layer.name >> layer.folder;
    std::string dependencies;
    // CMake joins a list with semicolons.
    std::getline(words, dependencies);
    std::ranges::replace(dependencies, ';', ' ');
    std::istringstream names(dependencies);
    for (std::string name; names >> name;) layer.dependencies.insert(name);
    layers.push_back(std::move(layer));
  }
  return layers;
}

Violations check_layers(const std::vector<SourceFile>& files, const std::vector<Layer>& layers,
                        const std::set<std::string>& generated_headers) {
  constexpr std::string_view kSources = "src/";
  std::set<std::string> known = generated_headers;
  for (const SourceFile& file : files) known.insert(file.path.substr(kSources.size()));

  Violations violations;
  for (const SourceFile& file : files) {
    const Layer* layer = layer_of(file.path.substr(kSources.size()), layers);
    if (layer == nullptr) {
      violations.push_back(file.path + " belongs to no layer");
      continue;
    }
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      if (!known.contains(include.target)) violations.push_back(at(file, include) + ", which does not exist");
      if (const auto problem = check_quoted(include, *layer, layers))
        violations.push_back(at(file, include) + *problem);
    }
  }
  return violations;
}

Violations check_layer_order(const std::vector<Layer>& layers) {
  Violations violations;
  std::set<std::string> earlier;
  for (const Layer& layer : layers) {
    for (const std::string& name : layer.dependencies) {
      if (!earlier.contains(name))
        violations.push_back(layer.name + " depends on " + name + ", which does not come before it");
    }
    earlier.insert(layer.name);
  }
  return violations;
}

Violations check_backend_users(const std::vector<Layer>& layers) {
  const auto is_backend = [](const Layer& layer) { return layer.folder.starts_with("store/"); };
  Violations violations;
  for (const Layer& user : layers) {
    if (is_backend(user) || contains(kBackendUsers, user.name)) continue;
    for (const Layer& layer : layers) {
      if (is_backend(layer) && user.dependencies.contains(layer.name)) {
        violations.push_back(user.name + " depends on the backend " + layer.name);
      }
    }
  }
  return violations;
}

Violations check_beast_users(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (file.path.starts_with("src/http/")) continue;
    for (const Include& include : includes_of(file)) {
      if (include.target.starts_with("boost/beast")) violations.push_back(at(file, include));
    }
  }
  return violations;
}

Violations check_core_is_pure(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("src/core/") || !is_cpp(file)) continue;
    for (const Include& include : includes_of(file)) {
      if (!is_pure_include(include)) violations.push_back(at(file, include));
    }
    const std::string code = code_only(file.text);
    for (const std::string_view name : kImpureNames) {
      if (has_word(code, name)) violations.push_back(file.path + " uses " + std::string(name));
    }
  }
  return violations;
}

}  // namespace turnout::architecture
