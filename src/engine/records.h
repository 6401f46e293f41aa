#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "core/decide.h"
#include "core/outcome.h"
#include "engine/channel.h"

namespace turnout::engine {

/// What explains one decision: the snapshot it was made on, its draws, and what stood in each provider's way. Of the
/// request's `exclude` and `eligible` it has the result (why_not), not the lists, which is enough to call core::decide
/// again. Reused, so that its strings and vectors keep their memory. Holds no customer id.
struct DecisionRecord {
  Uuid decision_id;
  TimeMs at_ms = 0;
  std::string channel;
  std::string transaction_id;
  std::string merchant_id;
  std::string payment_method;
  std::string payment_method_type;
  std::optional<std::int64_t> amount;
  std::string currency;
  std::shared_ptr<const Snapshot> snapshot;
  core::Draws draws;
  core::Decision decision;
  std::vector<core::WhyNot> why_not;
  std::vector<core::ProviderIndex> fallbacks;
};

/// One outcome that counted.
struct OutcomeRecord {
  TimeMs at_ms = 0;
  std::string channel;
  std::string transaction_id;
  std::string provider;
  std::optional<Uuid> decision_id;
  core::Outcome outcome;
  std::string error_code;
  std::string source;  ///< `report`, `webhook` or `time_out`
};

/// The record as one JSON object: a line of the decision log, an element of the recent decisions, or an event.
void append_json(std::string& out, const DecisionRecord& record);
void append_json(std::string& out, const OutcomeRecord& record);

}  // namespace turnout::engine
