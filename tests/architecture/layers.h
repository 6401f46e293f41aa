#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "architecture/source_file.h"

namespace turnout::architecture {

/// What is wrong, one line each, naming the file. Empty: the rule holds.
using Violations = std::vector<std::string>;

/// One layer() of CMakeLists.txt.
struct Layer {
  std::string name;                    ///< "store_file"
  std::string folder;                  ///< below src/: "store/file"
  std::set<std::string> dependencies;  ///< names of the layers whose headers it may include
};

/// Reads layers.txt, which CMake writes: a line has the name, the folder and the dependencies.
std::vector<Layer> parse_layers(std::string_view text);

/// Every file of src/ belongs to a layer, and includes with quotes only from that layer and its dependencies. A header
/// that is not in `files` must be one of `generated_headers`.
Violations check_layers(const std::vector<SourceFile>& files, const std::vector<Layer>& layers,
                        const std::set<std::string>& generated_headers);

/// The layers come in an order in which each depends only on earlier ones, so there is no cycle.
Violations check_layer_order(const std::vector<Layer>& layers);

/// A backend (a layer in a folder below store/) is a dependency only of the layers that wire one up, and of other
/// backends.
Violations check_backend_users(const std::vector<Layer>& layers);

/// Boost.Beast is included only in src/http.
Violations check_beast_users(const std::vector<SourceFile>& files);

/// core/ is pure: it includes the standard library and base/, but nothing that tells time, makes randomness, locks,
/// logs or does input and output, and not the coroutine types.
Violations check_core_is_pure(const std::vector<SourceFile>& files);

}  // namespace turnout::architecture
