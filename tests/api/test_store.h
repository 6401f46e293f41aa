#pragma once

#include "store/memory/memory_store.h"
#include "support/failing_store.h"

namespace turnout::api {

/// The memory store, but every operation fails, and changes nothing, while `failing` is set; its status says so.
class TestStore final : public store::StatusSource {
 public:
  TestStore() {
    failing_.before = [this](std::string_view) {
      return failing ? std::optional(Error{Error::Code::unavailable, kProblem}) : std::nullopt;
    };
  }
  TestStore(const TestStore&) = delete;
  TestStore& operator=(const TestStore&) = delete;

  bool failing = false;

  [[nodiscard]] store::Stores stores() { return {failing_, failing_, failing_, *this}; }

  [[nodiscard]] store::StoreStatus status() const override {
    store::StoreStatus status = memory_.status();
    status.available = !failing;
    if (failing) status.problem = kProblem;
    return status;
  }

 private:
  static constexpr const char* kProblem = "the disk is full";

  store::MemoryStore memory_;
  store::FailingStore failing_{memory_.stores()};
};

}  // namespace turnout::api
