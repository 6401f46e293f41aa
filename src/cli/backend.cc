#include "cli/backend.h"

#include "store/file/file_store.h"
#include "store/memory/memory_store.h"

namespace turnout::cli {
namespace {

class MemoryBackend final : public Backend {
 public:
  store::Stores stores() override { return store_.stores(); }
  Result<Done> flush() override { return Done{}; }

 private:
  store::MemoryStore store_;
};

class FileBackend final : public Backend {
 public:
  explicit FileBackend(std::unique_ptr<store::FileStore> store) : store_(std::move(store)) {}
  store::Stores stores() override { return store_->stores(); }
  Result<Done> flush() override { return store_->flush(); }

 private:
  std::unique_ptr<store::FileStore> store_;
};

}  // namespace

Result<std::unique_ptr<Backend>> Backend::open(const config::StoreSettings& settings) {
  if (settings.kind == config::StoreKind::memory) return std::unique_ptr<Backend>(std::make_unique<MemoryBackend>());
  TURNOUT_ASSERT(settings.kind == config::StoreKind::file);  // config::load accepts no other
  auto store = store::FileStore::open(settings.path);
  if (!store) return store.error();
  return std::unique_ptr<Backend>(std::make_unique<FileBackend>(std::move(store).value()));
}

}  // namespace turnout::cli
