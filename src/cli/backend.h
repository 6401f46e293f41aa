#pragma once

#include <memory>

#include "base/result.h"
#include "config/settings.h"
#include "store/stores.h"

namespace turnout::cli {

/// The store that the configuration asks for. Closing it writes down what is not written yet.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual store::Stores stores() = 0;

  /// Writes down what is not written yet; says what is lost when that fails. Blocks on the disk.
  virtual Result<Done> flush() = 0;

  /// Opens it. Fails with a message fit for an operator.
  static Result<std::unique_ptr<Backend>> open(const config::StoreSettings& settings);
};

}  // namespace turnout::cli
