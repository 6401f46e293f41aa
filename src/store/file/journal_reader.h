#pragma once

#include "base/result.h"
#include "store/file/sqlite_database.h"
#include "store/memory/channel_table.h"

namespace turnout::store {

/// Reads all that a JournalWriter wrote into `channels`, which are empty and used by nobody else yet. Error `corrupt`
/// when a row is not what was written.
Result<Done> read_journal(SqliteDatabase& database, ChannelTable& channels);

}  // namespace turnout::store
