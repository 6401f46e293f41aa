#pragma once

#include <cstdint>
#include <string>

#include "store/arm_store.h"
#include "store/settings_store.h"
#include "store/transaction_store.h"

namespace turnout::store {

/// How a store is doing.
struct StoreStatus {
  std::string kind;                           ///< `memory`, `file`
  bool available = true;                      ///< false: changes are not kept safe now
  std::string problem;                        ///< why, when not available
  std::uint64_t failed_writes = 0;            ///< batches or commands that failed since the start
  std::uint64_t remembered = 0;               ///< final attempts remembered now
  std::uint64_t remembered_bytes = 0;         ///< resident memory that takes
  std::uint64_t forgotten_early = 0;          ///< final attempts dropped by dedupe_max since the start
  std::uint64_t last_write_microseconds = 0;  ///< duration of the last batch or command
};

/// Answers at once from memory; thread-safe.
class StatusSource {
 public:
  virtual ~StatusSource() = default;
  [[nodiscard]] virtual StoreStatus status() const = 0;
};

/// The ports of one backend, as handed to the engine. The backend outlives it.
struct Stores {
  ArmStore& arms;
  TransactionStore& transactions;
  SettingsStore& settings;
  StatusSource& status;
};

}  // namespace turnout::store
