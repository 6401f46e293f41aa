#include "store/backend.h"

#include "store/file/file_store.h"
#include "store/memory/memory_store.h"
#include "support/temporary_directory.h"

namespace turnout::store {
namespace {

class MemoryBackend final : public Backend {
 public:
  Stores stores() override { return store_.stores(); }
  void restart() override {}

 private:
  MemoryStore store_;
};

class FileBackend final : public Backend {
 public:
  FileBackend() { open(); }
  Stores stores() override { return store_->stores(); }
  void restart() override {
    store_.reset();
    open();
  }

 private:
  void open() { store_ = FileStore::open(directory_.path()).value(); }

  TemporaryDirectory directory_;
  std::unique_ptr<FileStore> store_;
};

template <class T>
std::unique_ptr<Backend> make() {
  return std::make_unique<T>();
}

}  // namespace

std::vector<BackendKind> backend_kinds() {
  return {{"memory", false, make<MemoryBackend>}, {"file", true, make<FileBackend>}};
}

std::vector<BackendKind> lasting_backend_kinds() {
  auto kinds = backend_kinds();
  std::erase_if(kinds, [](const BackendKind& kind) { return !kind.survives_restart; });
  return kinds;
}

}  // namespace turnout::store
