#include "store/memory/remembered_choices.h"

namespace turnout::store {

std::optional<std::string_view> RememberedChoices::find(std::uint64_t key, TimeMs now) const {
  const auto number = fingerprints_.find(key, now);
  if (!number) return std::nullopt;
  const auto provider = provider_of_.find(*number);
  if (provider == provider_of_.end()) return std::nullopt;
  return provider->second;
}

void RememberedChoices::put(std::uint64_t key, std::string_view provider, TimeMs now) {
  auto known = number_of_.find(provider);
  if (known == number_of_.end()) {
    const std::uint64_t number = number_of_.size();
    if (number >> kNumberBits != 0) return;
    add_provider({number, std::string(provider)});
    if (journaling_ == Journaling::on) new_providers_.push_back({number, std::string(provider)});
    known = number_of_.find(provider);
  }
  fingerprints_.put(key, known->second, now);
}

void RememberedChoices::add_provider(NumberedProvider provider) {
  number_of_.emplace(provider.provider, provider.number);
  provider_of_.emplace(provider.number, std::move(provider.provider));
}

void RememberedChoices::clear() {
  fingerprints_.clear();
  provider_of_.clear();
  number_of_.clear();
  new_providers_.clear();
}

}  // namespace turnout::store
