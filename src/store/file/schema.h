#pragma once

#include "base/result.h"
#include "store/file/sqlite_database.h"

namespace turnout::store {

/// Makes the database ready for use: WAL, and the tables of the present version, which an empty file gets. Refuses the
/// file of another program, one written by a newer version of this program, and one that cannot be written.
///
/// Version 1:
///   arms              one row per (channel, provider): store/file/arm_codec.h
///   history           one row per point
///   pending           one row per pending transaction
///   buckets           one row per time bucket of fingerprints: kind 0 final attempts, 1 choices. channel NULL:
///   dropped, its words are
///                     deleted little by little
///   fingerprints      words of one bucket, as many as one batch brought: 64-bit little-endian; id = bucket << 32 |
///   sequence choice_providers  the providers' numbers in the words of kind 1 overrides, audit  as in
///   store/settings_store.h
Result<Done> prepare_schema(SqliteDatabase& database);

/// What a bucket's words mean. Never change the numbers: they are stored.
enum class FingerprintKind : std::uint8_t { final_attempts = 0, choices = 1 };

}  // namespace turnout::store
