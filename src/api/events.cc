#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "api/endpoints.h"

namespace turnout::api {
namespace {

namespace asio = boost::asio;

/// Looks at its subscription a few times a second, so that whoever publishes never has to wake a connection's thread.
class SubscribedEvents final : public http::EventSource {
 public:
  explicit SubscribedEvents(std::shared_ptr<engine::Subscription> subscription)
      : subscription_(std::move(subscription)) {}

  Awaitable<std::optional<std::string>> next() override {
    constexpr auto kLookEvery = std::chrono::milliseconds(100);
    // A comment now and then keeps proxies from closing a quiet stream.
    constexpr int kLooksPerComment = 150;
    using Timer =
        asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;
    Timer timer(co_await asio::this_coro::executor);
    for (int looks = 0; looks < kLooksPerComment; ++looks) {
      if (auto events = subscription_->take()) co_return events;
      timer.expires_after(kLookEvery);
      const auto [error] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable_t<Executor>{}));
      if (error) co_return std::nullopt;
    }
    co_return ": still here\n\n";
  }

 private:
  std::shared_ptr<engine::Subscription> subscription_;
};

}  // namespace

Awaitable<void> stream_events(Context& context, Call call) {
  if (!call.may_use_all_channels()) co_return;
  auto subscription = context.services.events.subscribe();
  if (!subscription) co_return call.refuse({503, "too_many_listeners", "100 listeners are connected already"});
  call.response->add_header("Cache-Control", "no-store");
  call.response->events = std::make_unique<SubscribedEvents>(std::move(subscription));
}

}  // namespace turnout::api
