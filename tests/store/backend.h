#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "store/stores.h"

namespace turnout::store {

/// A store under test, empty at first. The contract suites run over every kind there is.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual Stores stores() = 0;

  /// Ends the store in an orderly way and opens it again, as a new process would. Nothing happens where nothing is
  /// kept.
  virtual void restart() = 0;
};

/// Makes backends of one kind.
struct BackendKind {
  std::string name;
  bool survives_restart = false;
  std::unique_ptr<Backend> (*make)() = nullptr;

  friend std::ostream& operator<<(std::ostream& out, const BackendKind& kind) { return out << kind.name; }
};

/// All kinds: `memory`, `file`.
std::vector<BackendKind> backend_kinds();

/// The kinds of which restart() loses nothing.
std::vector<BackendKind> lasting_backend_kinds();

}  // namespace turnout::store
