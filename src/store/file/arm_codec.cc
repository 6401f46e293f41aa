#include "store/file/arm_codec.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace turnout::store {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

constexpr std::uint8_t kVersion = 1;

class ByteWriter {
 public:
  template <class Number>
  void write(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    const auto* begin = reinterpret_cast<const std::byte*>(&number);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(number));
  }

  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads zeros once the bytes are used up, which complete() tells.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Number>
  void read(Number& number) {
    number = Number{};
    if (bytes_.size() < sizeof(number)) {
      short_ = true;
      return;
    }
    std::memcpy(&number, bytes_.data(), sizeof(number));
    bytes_ = bytes_.subspan(sizeof(number));
  }

  template <class Number>
  Number read() {
    Number number;
    read(number);
    return number;
  }

  /// Whether exactly all bytes were read.
  [[nodiscard]] bool complete() const { return !short_ && bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
  bool short_ = false;
};

void write_sums(ByteWriter& out, const core::Sums& sums) {
  out.write(static_cast<std::uint8_t>(sums.forgetting.kind));
  out.write(sums.forgetting.span_ms);
  out.write(sums.landmark_ms);
  out.write(sums.successes);
  out.write(sums.total);
  const auto bins = sums.latency.bins();
  static_assert(core::LatencyHistogram::kBins <= 255);
  std::uint8_t used = 0;
  for (const double bin : bins) used = static_cast<std::uint8_t>(used + (bin != 0 ? 1 : 0));
  out.write(used);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (bins[i] == 0) continue;
    out.write(static_cast<std::uint8_t>(i));
    out.write(bins[i]);
  }
}

bool read_sums(ByteReader& in, core::Sums& sums) {
  const auto kind = in.read<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(core::Forgetting::Kind::half_life)) return false;
  sums.forgetting.kind = static_cast<core::Forgetting::Kind>(kind);
  in.read(sums.forgetting.span_ms);
  in.read(sums.landmark_ms);
  in.read(sums.successes);
  in.read(sums.total);
  const auto used = in.read<std::uint8_t>();
  for (std::uint8_t i = 0; i < used; ++i) {
    const auto bin = in.read<std::uint8_t>();
    if (bin >= core::LatencyHistogram::kBins) return false;
    in.read(sums.latency.bins()[bin]);
  }
  return sums.forgetting.span_ms > 0;
}

void write_breaker(ByteWriter& out, const core::Breaker& breaker) {
  out.write(static_cast<std::uint8_t>(breaker.circuit));
  out.write(static_cast<std::uint8_t>(breaker.manual));
  out.write(breaker.lease_count);
  out.write(breaker.consecutive_failures);
  out.write(breaker.generation);
  out.write(breaker.opened_at_ms);
  out.write(breaker.half_open_at_ms);
  out.write(breaker.last_probe_at_ms);
  for (const core::ProbeLease& lease : breaker.taken_leases()) {
    out.write(lease.attempt);
    out.write(lease.decision_id.high);
    out.write(lease.decision_id.low);
    out.write(lease.expires_at_ms);
  }
}

bool read_breaker(ByteReader& in, core::Breaker& breaker) {
  const auto circuit = in.read<std::uint8_t>();
  if (circuit > static_cast<std::uint8_t>(core::Circuit::half_open)) return false;
  breaker.circuit = static_cast<core::Circuit>(circuit);
  breaker.manual = in.read<std::uint8_t>() != 0;
  in.read(breaker.lease_count);
  if (breaker.lease_count > core::Breaker::kMaxProbes) return false;
  in.read(breaker.consecutive_failures);
  in.read(breaker.generation);
  in.read(breaker.opened_at_ms);
  in.read(breaker.half_open_at_ms);
  in.read(breaker.last_probe_at_ms);
  for (std::size_t i = 0; i < breaker.lease_count; ++i) {
    core::ProbeLease& lease = breaker.leases[i];
    in.read(lease.attempt);
    in.read(lease.decision_id.high);
    in.read(lease.decision_id.low);
    in.read(lease.expires_at_ms);
  }
  return true;
}

}  // namespace

std::vector<std::byte> encode_arm(const core::Arm& arm) {
  ByteWriter out;
  out.write(kVersion);
  write_sums(out, arm.sums);
  write_breaker(out, arm.breaker);
  out.write(arm.revision);
  return out.take();
}

std::optional<core::Arm> decode_arm(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.read<std::uint8_t>() != kVersion) return std::nullopt;
  core::Arm arm;
  if (!read_sums(in, arm.sums) || !read_breaker(in, arm.breaker)) return std::nullopt;
  in.read(arm.revision);
  if (!in.complete()) return std::nullopt;
  return arm;
}

}  // namespace turnout::store
