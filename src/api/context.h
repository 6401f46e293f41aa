#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/access.h"
#include "api/json_document.h"
#include "api/problem.h"
#include "engine/channels.h"
#include "engine/clock.h"
#include "engine/decision_log.h"
#include "engine/events.h"
#include "engine/metrics.h"
#include "engine/operations.h"
#include "engine/router.h"
#include "http/counters.h"
#include "http/request.h"
#include "http/response.h"
#include "store/stores.h"

namespace turnout::api {

/// What all threads share: the engine's parts and who may call. Everything in it is thread-safe and outlives the
/// server.
struct Services {
  engine::Clock& clock;
  store::Stores stores;
  engine::Channels& channels;
  engine::Router& router;
  engine::Operations& operations;
  engine::DecisionLog& log;
  engine::Events& events;
  engine::Metrics& metrics;
  std::function<http::CounterValues()> http_counters;
  std::function<bool()> stopping;  ///< true once the server is asked to end: not ready any more
  std::shared_ptr<const Access> access;
};

/// JSON documents to parse into, kept for reuse. A request has its own until its answer is written, also while it waits
/// for the store.
class DocumentPool {
 public:
  /// A document that nobody uses; goes back when the lease ends.
  class Document {
   public:
    explicit Document(DocumentPool& pool) : pool_(pool), document_(pool.take()) {}
    ~Document() { pool_.free_.push_back(std::move(document_)); }
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;
    JsonDocument& operator*() const { return *document_; }
    JsonDocument* operator->() const { return document_.get(); }

   private:
    DocumentPool& pool_;
    std::unique_ptr<JsonDocument> document_;
  };

 private:
  std::unique_ptr<JsonDocument> take() {
    if (free_.empty()) return std::make_unique<JsonDocument>();
    auto document = std::move(free_.back());
    free_.pop_back();
    return document;
  }
  std::vector<std::unique_ptr<JsonDocument>> free_;
};

/// What one thread's handlers work with.
struct Context {
  const Services& services;
  engine::Worker& worker;
  DocumentPool documents = {};
};

/// One request on its way through its handler.
struct Call {
  const http::Request* request = nullptr;
  http::Response* response = nullptr;
  std::vector<std::string> parameters = {};  ///< of the path, decoded, in order
  const Token* token = nullptr;              ///< nothing when access is open
  TimeMs now = 0;

  void refuse(const Problem& problem) const { answer(*response, problem); }

  /// Whether the token reaches that channel; otherwise refuses.
  [[nodiscard]] bool may_use(std::string_view channel) const;

  /// Whether the token reaches all channels; otherwise refuses.
  [[nodiscard]] bool may_use_all_channels() const;

  /// Who is to be named for a change: the token, else what the caller says, else the address.
  [[nodiscard]] std::string author(std::string_view said = {}) const;
};

/// The channel of the path's first parameter; refuses and gives nothing when it does not exist or the token does not
/// reach it.
std::shared_ptr<engine::Channel> channel_of(const Context& context, const Call& call);

/// The provider's position in the newest snapshot, by the path's second parameter; refuses and gives nothing when it is
/// not there.
std::optional<core::ProviderIndex> provider_of(const engine::Snapshot& snapshot, const Call& call);

}  // namespace turnout::api
